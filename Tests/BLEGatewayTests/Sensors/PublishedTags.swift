/// Published advertisements of thermometers of meals, of tags, and of what opens and moves.
extension PublishedAdvertisement {
  static let tags = #"""
    # https://github.com/theengs/decoder, tests/BLE/test_ble.cpp
    Govee | | +5182 | m=30554401000101e401860834ffff860960ffff | temperature_probe_1 21.0 °C, temperature_probe_2 24.0 °C
    Govee | | +5183 | m=5da1b401000101e400800a2813240000 | temperature_probe_1 26.0 °C
    Govee | | +5185 | m=32490a01000101e4c1ff0960ffffffff0a28ffffffff | temperature_probe_1 24.0 °C, temperature_probe_2 26.0 °C
    Govee | | GVH5055_1234 | m=cf040400461b061700ffff2c01067300ffff2c010000 | battery 70 %, temperature_probe_1 23 °C, temperature_probe_2 115 °C
    Govee | | GVH5055_1234 | m=59045b006401201c00ffffffff20ffffffffffff0000 | battery 100 %, temperature_probe_1 28 °C
    Govee | | GVH5055_1234 | m=d596c100648f221500ffff3f00221500ffff3f000000 | battery 100 %, temperature_probe_5 21 °C, temperature_probe_6 21 °C
    Inkbird | AABBCCDDEEFF | iBBQ | m=00000000aabbccddeeff18014001 | temperature_probe_1 28.0 °C, temperature_probe_2 32.0 °C
    Inkbird | AABBCCDDEEFF | iBBQ | m=01000000ffeeddccbbaadc00cf00 | temperature_probe_1 22.0 °C, temperature_probe_2 20.7 °C
    Inkbird | AABBCCDDEEFF | iBBQ | m=00000000aabbccddeeff0401f6ff58021202 | temperature_probe_1 26.0 °C, temperature_probe_3 60.0 °C, temperature_probe_4 53.0 °C
    Inkbird | AABBCCDDEEFF | iBBQ | m=00000000aabbccddeeffd200c800f6ffd200f6fff6ff | temperature_probe_1 21.0 °C, temperature_probe_2 20.0 °C, temperature_probe_4 21.0 °C
    MikroTik | | MikroTik | m=4f090100cea6000000000200a01c91085700185f | acceleration_x 0.0 m/s², acceleration_y 0.0 m/s², acceleration_z 0.0078 m/s², temperature 28.63 °C, uptime 5703825 s, battery 95 %
    KSensor | | | FEAA=2101070e5b154f2169 | voltage 3.675 V, temperature 21.31 °C, humidity 33.41 %
    KSensor | | | FEAA=21010b0c1318000021fffdfc12 | voltage 3.091 V, temperature 24.0 °C, acceleration_x 0.32361945 m/s², acceleration_y -0.02941995 m/s², acceleration_z -9.8654899 m/s²
    April Brother | AABBCCDDEEFF | | FE59=ab03aabbccddeeff64ebff7f005e01 | battery 100 %, temperature -2.625 °C, humidity 63.5 %, illuminance 350 lx
    ELA | | | m=5707122e07 | temperature 18.38 °C
    ELA | | | m=5707213012b80a | humidity 48 %, temperature 27.44 °C
    ELA | | PUCK_T1 | 2A6E=860b | temperature 29.5 °C
    ELA | | C T 88888E | 2A6E=6afc | temperature -9.18 °C
    ELA | | P RHT 99999A | 2A6F=46 | humidity 70 %
    ELA | | P MAG CCCCCC | 2A06=2400 | opening open
    ELA | | P MAG CCCCCC | 2A06=2900 | opening closed
    SwitchBot | | +CBA20D00-224D-11E6-9FB8-0002A5D5C51B | 0D00=48d0db | power_on off, battery 91 %
    SwitchBot | | +CBA20D00-224D-11E6-9FB8-0002A5D5C51B | 0D00=4890cc | power_on on, battery 76 %
    SwitchBot | | | FD3D=48004700 | battery 71 %
    SwitchBot | | | FD3D=6440c1050000000000 | motion detected, battery 65 %, opening open, light detected
    SwitchBot | | | FD3D=73b037000045 | motion clear, battery 55 %, light none
    SwitchBot | | | FD3D=7340d50000f2 | motion detected, battery 85 %, light detected
    SwitchBot | | | FD3D=63c04c1970 | battery 76 %, closed_part 25 %, moving no
    SwitchBot | | | FD3D=63805599a0 | battery 85 %, closed_part 25 %, moving yes
    SwitchBot | | | FD3D=63c011641104 | battery 17 %, closed_part 100 %, moving no
    SwitchBot | | | FD3D=7bc04f641204 | battery 79 %, closed_part 100 %, moving no
    SwitchBot | B0E9FEDDEEFF | | m=6909b0e9feddeeff0ce40896280004037d00 FD3D=350064 | temperature 22.8 °C, humidity 40 %, carbon_dioxide 893 ppm, battery 100 %
    # https://github.com/sblibs/pySwitchbot, its tests
    SwitchBot | B0E9FE52DD84 | | m=6909b0e9fe52dd84066408972c0005 FD3D=340064 | temperature 23.8 °C, humidity 44 %, battery 100 %
    # https://github.com/Bluetooth-Devices/thermopro-ble, its tests
    ThermoPro | | TP960R (0000); +72FBB631-6F6B-D1BA-DB55-2EE6FDD942BD | m=003a0030083800 | temperature_probe_1 28 °C, temperature_around_probe_1 26 °C
    ThermoPro | | TP962R (0000); +72FBB631-6F6B-D1BA-DB55-2EE6FDD942BD | m=0137003b0b3700 | temperature_probe_2 25 °C, temperature_around_probe_2 25 °C
    # https://github.com/custom-components/ble_monitor, its tests
    HolyIOT | C6B545F6F18E | | 5242=4164c6b545f6f18e060601ed25 | battery 100 %, temperature -19.37 °C
    HolyIOT | C6B545F6F18E | | 5242=4164c6b545f6f18e0606025334 | battery 100 %, pressure 1013.0 hPa
    HolyIOT | C6B545F6F18E | | 5242=4164c6b545f6f18e0606034c00 | battery 100 %, humidity 76 %
    HolyIOT | C6B545F6F18E | | 5242=4164c6b545f6f18e0606040100 | battery 100 %, vibration detected
    ELA | | | m=5707320a00 | opening open
    ELA | | | m=5707420c00 | moving no, movements 6
    ELA | | | m=5707929c00 | motion clear
    ELA | | | m=570756b8ffecffacfc | acceleration_x -0.7060788 m/s², acceleration_y -0.196133 m/s², acceleration_z -8.3552658 m/s²
    ELA | | | m=5707f145 | battery 69 %
    ELA | | | m=5707f2ac0b | voltage 2.988 V
    # https://github.com/reelyactive/advlib-ble-services, its tests
    Minew | AABBCCDDEEFF | | FFE1=a1016315803200aabbccddeeff | battery 99 %, temperature 21.5 °C, humidity 50.0 %
    Minew | AABBCCDDEEFF | | FFE1=a1024501aabbccddeeff | battery 69 %, light detected
    Minew | AABBCCDDEEFF | | FFE1=a10364ff8000000080aabbccddeeff | battery 100 %, acceleration_x -4.9033 m/s², acceleration_y 0.0 m/s², acceleration_z 4.9033 m/s²
    # https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-6 and data-format-e1
    RuuviTag | | | m=990406170c5668c79e007000c90501d9ffcd004c884f | temperature 29.5 °C, humidity 55.3 %, pressure 1011.02 hPa, pm2_5 11.2 µg/m³, carbon_dioxide 201 ppm, voc_index 10, nox_index 2, illuminance 13027 lx
    RuuviTag | | | m=9904067fff9c40fffe27109c40fafafeffff074c8f4f | temperature 163.835 °C, humidity 100.0 %, pressure 1155.34 hPa, pm2_5 1000.0 µg/m³, carbon_dioxide 40000 ppm, voc_index 500, nox_index 500, illuminance 65535 lx
    RuuviTag | | | m=9904068000ffffffffffffffffffffffffffffffffff |
    RuuviTag | | | m=9904e1170c5668c79e0065007004bd11ca00c90a0213e0acffffffdecdee11ffffffffffcbb8334c884f | temperature 29.5 °C, humidity 55.3 %, pressure 1011.02 hPa, pm1 10.1 µg/m³, pm2_5 11.2 µg/m³, pm4 121.3 µg/m³, pm10 455.4 µg/m³, carbon_dioxide 201 ppm, voc_index 20, nox_index 4, illuminance 13027.0 lx
    # https://wiki.teltonika-gps.com/view/EYE_SENSOR_/_BTSMP1
    Teltonika | | | m=9a0801b708b4120ccb0bffc767 | battery_low normal, temperature 22.28 °C, humidity 18 %, movements 3275, moving no, pitch 11 °, roll -57 °, voltage 3.03 V
    """#
}
