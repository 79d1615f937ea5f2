/// Published advertisements of thermometers and of sensors of the air and of plants, as `PublishedAdvertisement` reads them.
extension PublishedAdvertisement {
  static let rooms = #"""
    # https://github.com/theengs/decoder, tests/BLE/test_ble.cpp
    Govee | | GVH5106_4E05 | m=010001010ed2e431 | temperature 24.8 °C, humidity 70.2 %, pm2_5 1 µg/m³
    Govee | | GVH5106_4E05 | m=01000101848420c0 | temperature -7.5 °C, humidity 76.8 %, pm2_5 0 µg/m³
    Govee | | H5179_4E05 | m=0188ec000101ee07581641 | temperature 20.3 °C, humidity 57.2 %, battery 65 %
    Govee | | GV5179_1763 | m=0100010103e5c664 | temperature 25.5 °C, humidity 43.0 %, battery 100 %
    Govee | | B5178D6FB | m=010001010003a00f640000 | temperature 23.7 °C, humidity 58.3 %, battery 100 %
    Govee | | B5178D6FB | m=010001010102fc87640002 | temperature_outside 19.5 °C, humidity_outside 71.9 %, battery 100 %
    Govee | | GVH5105_1234 | m=0100010103787664 | temperature 22.7 °C, humidity 44.6 %, battery 100 %
    Inkbird | AABBCCDDEEFF | IBS-P02B | m=aabbccddeeffdd0000006400800000000000 | temperature 22.1 °C, battery 100 %
    Inkbird | | tps | m=840affff00a6066008 | temperature 26.92 °C, battery 96 %
    Inkbird | | sps | m=e300bb070093c36406 | temperature 2.27 °C, humidity 19.79 %, battery 100 %
    ThermoBeacon | 70F70000111A | | m=100000001a110000f770580cf5016c0443090000 | voltage 3.16 V, temperature 31.31 °C, humidity 70.75 %, uptime 2371 s
    ThermoBeacon | DC2300000AAE | | m=11000000ae0a000023dcb80b92017c03cdbb0300 | voltage 3.0 V, temperature 25.13 °C, humidity 55.75 %, uptime 244685 s
    ThermoBeacon | 8EBB00000710 | | m=1500000010070000bb8eb401faa530002601c66f6700 |
    SensorPro | AABBCCDDEEFF | | m=55aa0105aabbccddeeff01070a0015e0630001 | voltage 2.63 V, temperature 25.6 °C, humidity 56.0 %, battery 99 %
    SensorPro | A4C13874B085 | | m=55aa0101a4c13874b08501070a1d10f064000100 | voltage 2.63 V, temperature 25.89 °C, humidity 43.36 %, battery 100 %
    Blue Maestro | | | m=330117560e10177000ef01b3006c0100 | battery 86 %, temperature 23.9 °C, humidity 43.5 %, dew_point 10.8 °C
    Blue Maestro | | | m=330116430e10061eff5d030fff400100 | battery 67 %, temperature -16.3 °C, humidity 78.3 %, dew_point -19.2 °C
    Blue Maestro | | | m=33011b3a0e10061e00df02f727970100 | battery 58 %, temperature 22.3 °C, humidity 75.9 %, pressure 1013.5 hPa
    Blue Maestro | | | m=33010d6402580ad100fc0100 | battery 100 %, temperature 25.2 °C
    SensorPush | | +EF090000-11D6-42BA-93B8-9DD7EC090AB0 | m=0089e456bea6b4 | temperature 22.66 °C, humidity 46.07 %, pressure 989.65 hPa
    SensorPush | | +EF090000-11D6-42BA-93B8-9DD7EC090AB0 | m=04e9187d39 | temperature 27.69 °C, humidity 36.53 %
    SmartDry | | | m=ae0156d708420000c84252006907 | temperature 34.21 °C, humidity 100.0 %
    SmartDry | | | m=ae019bc8af4108d7c34208016807 | temperature 21.97 °C, humidity 97.92 %
    Sensirion | | | m=d5060006e2e7036a1c65 | temperature 27.47 °C, humidity 43.37 %
    Sensirion | | | m=d506000ae2e733339dc4e902 | temperature -10.0 °C, humidity 76.8 %, carbon_dioxide 745 ppm
    Sensirion | | | m=d506000867355367925c0b040609 | temperature 25.63 °C, humidity 36.16 %, carbon_dioxide 1035 ppm
    Sensirion | | | m=d506000ac543016b88619a05000000009a05000000000000 | temperature 28.15 °C, humidity 38.1 %, carbon_dioxide 1434 ppm
    Aranet | | | m=0207210e0401000c0f016f030802681f1362012c018c00b9 | carbon_dioxide 879 ppm, temperature 26.0 °C, pressure 804.0 hPa, humidity 19 %, battery 98 %
    Aranet | | | m=0207210e0401000c0f014c030e02601f1162012c01b10036 | carbon_dioxide 844 ppm, temperature 26.3 °C, pressure 803.2 hPa, humidity 17 %, battery 98 %
    Jaalee | | | m=4c000215ebefd08370a247c89837e7b5634df52567f857becb64 | temperature 26.07 °C, humidity 34.27 %, battery 100 %
    b-parasite | AABBCCDDEEFF | | 181A=10c30c1c6400e6667fffaabbccddeeff | voltage 3.1 V, temperature 25.6 °C, humidity 90.0 %, moisture 50.0 %
    b-parasite | AABBCCDDEEFF | | 181A=11c30b8658aca6666b85aabbccddeeff30d4 | voltage 2.95 V, temperature 22.7 °C, humidity 65.0 %, moisture 42.0 %, illuminance 12500 lx
    b-parasite | AABBCCDDEEFF | | 181A=21c30b8608dea6666b85aabbccddeeff30d4 | voltage 2.95 V, temperature 22.7 °C, humidity 65.0 %, moisture 42.0 %, illuminance 12500 lx
    HHCC | | | FD50=0e006e0134a428005b | moisture 14 %, temperature 11.0 °C, illuminance 79012 lx, battery 40 %, conductivity 91 µS/cm
    HHCC | | | FD50=620000000047640000 | moisture 98 %, temperature 0.0 °C, illuminance 71 lx, battery 100 %, conductivity 0 µS/cm
    HHCC | | | FD50=6000d2000224640000 | moisture 96 %, temperature 21.0 °C, illuminance 548 lx, battery 100 %, conductivity 0 µS/cm
    # https://github.com/custom-components/ble_monitor, its tests
    Moat | | Moat_S2 | m=0010aabbccddeeff11111111d46103cbbe0a0000 | temperature 20.3 °C, humidity 93.13 %, voltage 2.75 V
    # https://github.com/reelyactive/advlib-ble-manufacturers, its tests
    HibouAir | | | m=5b070504471a0c7f022627d300b701f101000000000000023a02 | illuminance 639 lx, pressure 1002.2 hPa, temperature 21.1 °C, humidity 43.9 %, carbon_dioxide 570 ppm
    HibouAir | | | m=5b070503471a0c7f022627d300b701f1011c001f003300023a02 | illuminance 639 lx, pressure 1002.2 hPa, temperature 21.1 °C, humidity 43.9 %
    """#
}
