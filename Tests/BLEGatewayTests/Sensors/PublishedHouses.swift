/// Published advertisements of what is in a house beside rooms' thermometers.
extension PublishedAdvertisement {
  static let houses = #"""
    # https://github.com/theengs/decoder, tests/BLE/test_ble.cpp
    Tilt | | | m=4c000215a495bb10c5b14b44b5121370f02d74de004403f8c5 | temperature 20.0 °C, specific_gravity 1.016
    RAPT | | | m=524150540178e36d3cb994948b447cb9f63445026226772aac | temperature 23.94 °C, specific_gravity 1.0109, battery 43.0 %
    Mopeka | | +FEE5 | m=5900035d41a4c150a8cc0323 | voltage 2.90625 V, temperature 25 °C
    iNode | | | m=90826300f0cf0000c409820080 | power 2376.0 W, energy 21.2928 kWh, battery 70 %
    Oras | | | m=3101006400323131313030373933350020202020 | battery 100 %
    Oras | | | m=3101004800546865656e67734142430020202020 | battery 72 %
    Amphiro | | | m=eefa0000240015000015001a0029000c194f000000 | duration 21 s, water 2.6 L, temperature 41 °C, energy 0.12 kWh
    BeeWi | | | m=0d00080c000664 | opening closed, battery 100 %
    BeeWi | | | m=0d00080c010664 | opening open, battery 100 %
    EcoFlow | | | m=b5b513523631314142433158595a313233343558000100003e08 | battery 88 %
    EcoFlow | | | m=b5b513523333314142433158595a31323334354b000100003e08 | battery 75 %
    UNI-T | | | m=aabb1005372020362e35384d2f533430800475 | speed 6.58 m/s
    ZEEPIN tyre sensor | 80EACADDEEFF | | m=000180eacaddeefff46503007c0c00003300 | tyre_pressure 2.23 bar, temperature 31.96 °C, battery 51 %, problem no
    ZEEPIN tyre sensor | 82EACADDEEFF | | m=000182eacaddeeff11fc0300aa0600005300 | tyre_pressure 2.61 bar, temperature 17.06 °C, battery 83 %, problem no
    BR tyre sensor | | BR; +27A5 | m=401e1001a79692 | voltage 3.0 V, temperature 16 °C, tyre_pressure 1.92 bar
    BR tyre sensor | | BR; +27A5 | m=281e1401558536 | voltage 3.0 V, temperature 20 °C, tyre_pressure 1.35 bar
    BM2 | | | m=4c000215655f83caae16a10a702e31f30d58dd82f644000064 | battery 100 %
    BM2 | | | m=4c000215655f83caae16a10a702e31f30d58dd82f441423144 | battery 68 %
    Mi Scale | | | 181D=223e30e607020e10293a | mass 61.75 kg
    Mi Scale | | | 181D=237233e607020e10293a | mass_lb 131.7 lb
    Mi Scale | | | 181D=627607e607020e10293a | mass 9.55 kg
    Mi Scale | | | 181D=a2bc34e607020e10293a |
    Mi Scale | | | 181B=0226e607020e10293af7019a38 | impedance 503 Ω, mass 72.45 kg
    Mi Scale | | | 181B=0326e607020e10293af701f136 | impedance 503 Ω, mass_lb 140.65 lb
    Mi Scale | | | 181B=02a6e607020e10293af7019a38 |
    Oral-B | | | m=dc0004710502360000000f0004 | running no, duration 0 s
    Oral-B | | | m=dc000471050332010301030a04 | running yes, duration 63 s
    Huami | AABBCCDDEEFF | | m=57010202017dffffffffffffffffffffffffff02aabbccddeeff FEE0=8d230000 | heart_rate 125 bpm, steps 9101
    Polar | | Polar H10 75087320 | m=6b003b164446 | heart_rate 70 bpm
    Polar | | Polar H10 75087320 | m=6b002f166b68 | heart_rate 104 bpm
    # https://github.com/custom-components/ble_monitor, its tests
    iNode | | | m=90820400cfe40000dc05b0ed10 | power 160.0 W, energy 39.05 kWh, battery 100 %
    Kegtron | | | m=ffff49ef138802e20153696e676c6520506f7274000000000000000000 | volume_dispensed 0.738 L
    Kegtron | | | m=ffff49ef138802e251326e6420506f7274000000000000000000000000 | volume_dispensed_port_2 0.738 L
    Xiaogui | 5F5A29E5E094 | | m=c0a30276138b0002215f5a29e5e094 | mass 63.0 kg, impedance 500.3 Ω
    Xiaogui | 5F5A29E5E094 | | m=c07d2c4700000a01255f5a29e5e094 | mass 113.35 kg
    Xiaogui | 5F5A29E5E094 | | m=c05d008c00000002205f5a29e5e094 |
    """#
}
