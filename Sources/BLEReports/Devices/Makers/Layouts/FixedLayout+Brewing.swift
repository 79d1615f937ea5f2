import BLECore

/// Hydrometers and kegs, with public sources.
extension FixedLayout {
  static let brewing = tilt + rapt + kegtron

  /// Tilt, an iBeacon whose UUID has the colour and whose numbers are the values; of a Tilt Pro at more places. Sources:
  /// https://kvurd.com/blog/tilt-hydrometer-ibeacon-data-format, https://github.com/Bluetooth-Devices/tilt-ble and
  /// https://github.com/theengs/decoder
  private static let tilt: [FixedLayout] = [
    tilt(FixedField(.temperature, 18..<20, .big).scaled(5, -160, 9, decimals: 1, in: FixedField.degrees), 1_000),
    tilt(FixedField(.temperature, 18..<20, .big).scaled(5, -1_600, 90, in: FixedField.degrees), 10_000),
  ]

  private static func tilt(_ temperature: FixedField, _ parts: Int) -> FixedLayout {
    FixedLayout(
      format: .tilt, place: .company(0x004C), lengths: [23],
      literals: [
        0: beacon + [0xA4, 0x95, 0xBB],
        6: [0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74, 0xDE],
      ],
      constants: [5: [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80]],
      fields: [
        FixedField("Color", 5..<6).saying([
          0x10: "red", 0x20: "green", 0x30: "black", 0x40: "purple", 0x50: "orange", 0x60: "blue", 0x70: "yellow",
          0x80: "pink",
        ]),
        temperature, FixedField(.gravity, 20..<22, .big).over(parts, in: 0.9...1.25),
      ])
  }

  /// RAPT's Pill, whose data begins with its name. Sources:
  /// https://github.com/Bluetooth-Devices/rapt-ble and https://github.com/theengs/decoder
  private static let rapt: [FixedLayout] = [
    FixedLayout(
      format: .rapt, place: .manufacturer, lengths: [25], literals: [0: [0x52, 0x41, 0x50, 0x54]],
      constants: [4: [1, 2]],
      fields: [
        FixedField("Format", 0..<5).framing,
        FixedField(.temperature, 11..<13, .big).scaled(100, -27_315 * 128, 12_800, in: FixedField.degrees),
        FixedField(.gravity, 13..<17, .binary32Big).with {
          ($0.divisor, $0.decimals, $0.range) = (1_000, 4, 0.9...1.25)
        },
        FixedField("Acceleration", 17..<23).framing,
        FixedField(.battery, 23..<25, .big).scaled(1, 0, 256, decimals: 0, in: FixedField.percents),
      ])
  ]

  /// Kegtron's KT-100 and KT-200, which report one port at a time. No company has this company identifier. Sources:
  /// https://github.com/Bluetooth-Devices/kegtron-ble and https://github.com/custom-components/ble_monitor
  private static let kegtron: [FixedLayout] = [
    FixedLayout(
      format: .kegtron, place: .company(0xFFFF), lengths: [27],
      constants: [6: [0x00, 0x01, 0x10, 0x11, 0x40, 0x41, 0x50, 0x51]],
      fields: [
        FixedField("Size of the keg", 0..<2, .big, unit: "L").over(1_000, in: 1.0...65.5),
        FixedField("Volume at the start", 2..<4, .big, unit: "L").over(1_000),
        FixedField(.dispensed, 4..<6, .big).over(1_000).when(OctetBits(6, 0x10, is: 0)),
        FixedField(.dispensedSecond, 4..<6, .big).over(1_000).when(OctetBits(6, 0x10, is: 0x10)),
        FixedField("Port", 6..<7).framing, FixedField("Name", 7..<27, .ascii),
      ])
  ]
}
