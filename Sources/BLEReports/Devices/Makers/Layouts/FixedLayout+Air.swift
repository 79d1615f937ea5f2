import BLECore

/// Sensors of the air, with their public sources.
extension FixedLayout {
  static let air = sensirion + aranet + hibouAir + jaalee

  /// Sensirion's gadgets: SHT4x, MyCO2, SCD4x and SCD30. Sources: https://github.com/Sensirion/arduino-ble-gadget,
  /// https://github.com/Bluetooth-Devices/sensirion-ble and https://github.com/theengs/decoder
  private static let sensirion: [FixedLayout] = [
    sensirion(0x06, [8], FixedField(.humidity, 6..<8).scaled(125, -6 * 65_535, 65_535, in: FixedField.percents), []),
    sensirion(0x08, [10, 12], sensirionHumidity, [FixedField(.carbonDioxide, 8..<10)]),
    sensirion(0x0A, [10, 22], sensirionHumidity, [FixedField(.carbonDioxide, 8..<10)]),
  ]

  private static let sensirionHumidity =
    FixedField(.humidity, 6..<8).scaled(100, 0, 65_535, in: FixedField.percents)

  private static func sensirion(
    _ type: UInt8, _ lengths: Set<Int>, _ humidity: FixedField, _ last: [FixedField]
  ) -> FixedLayout {
    FixedLayout(
      format: .sensirion, place: .company(0x06D5), lengths: lengths, literals: [0: [0x00, type]],
      fields: [
        FixedField("Type", 0..<2).framing, FixedField("Device", 2..<4).framing,
        FixedField(.temperature, 4..<6).scaled(175, -45 * 65_535, 65_535, in: FixedField.degrees), humidity,
      ] + last)
  }

  /// Aranet4, where its values are shown to others ("smart home integration"). Sources: https://github.com/Anrijs/Aranet4-Python and
  /// https://github.com/theengs/decoder
  private static let aranet: [FixedLayout] = [
    FixedLayout(
      format: .aranet, place: .company(0x0702), lengths: [22],
      fields: [
        FixedField("Flags", 0..<1).framing, FixedField("Version", 1..<4).framing,
        FixedField(.carbonDioxide, 8..<10).with { $0.absent = 0x8000 },
        FixedField(.temperature, 10..<12).over(20, in: FixedField.degrees).with { $0.absent = 0xC000 },
        FixedField(.pressure, 12..<14).over(10, in: FixedField.hectopascals).with { $0.absent = 0x8000 },
        FixedField(.humidity, 14..<15).within(FixedField.percents), .battery(15),
        FixedField("Color", 16..<17).saying([1: "green", 2: "yellow", 3: "red"]),
        FixedField("Interval", 17..<19, unit: "s"), FixedField("Age", 19..<21, unit: "s"),
        FixedField("Counter", 21..<22).framing,
      ])
  ]

  /// HibouAir of Smart Sensor Devices, with and without carbon dioxide. Source:
  /// https://github.com/reelyactive/advlib-ble-manufacturers
  private static let hibouAir: [FixedLayout] = [
    hibouAir(0x03, []), hibouAir(0x04, [FixedField(.carbonDioxide, 21..<23, .big)]),
  ]

  private static func hibouAir(_ board: UInt8, _ last: [FixedField]) -> FixedLayout {
    FixedLayout(
      format: .hibouAir, place: .company(0x075B), lengths: [24], literals: [0: [0x05, board]],
      fields: [
        FixedField("Type", 0..<2).framing, FixedField("Board", 2..<5, .big).framing, FixedField(.illuminance, 5..<7),
        FixedField(.pressure, 7..<9).over(10, in: FixedField.hectopascals),
        FixedField(.temperature, 9..<11, .signedLittle).over(10, in: FixedField.degrees),
        FixedField(.humidity, 11..<13).over(10, in: FixedField.percents),
      ] + last)
  }

  /// Jaalee's JHT, an iBeacon of its own UUID with a battery behind it. Sources: https://github.com/custom-components/ble_monitor and
  /// https://github.com/theengs/decoder
  private static let jaalee: [FixedLayout] = [
    FixedLayout(
      format: .jaalee, place: .company(0x004C), lengths: [24],
      literals: [
        0: beacon + [0xEB, 0xEF, 0xD0, 0x83, 0x70, 0xA2, 0x47, 0xC8, 0x98, 0x37, 0xE7, 0xB5, 0x63, 0x4D, 0xF5, 0x25]
      ],
      fields: [
        FixedField("Proximity UUID", 2..<18).framing,
        FixedField(.temperature, 18..<20, .big).scaled(175, -45 * 65_535, 65_535, in: FixedField.degrees),
        FixedField(.humidity, 20..<22, .big).scaled(100, 0, 65_535, in: FixedField.percents), .battery(23),
      ])
  ]

  /// What an iBeacon begins with.
  static let beacon: [UInt8] = [0x02, 0x15]
}
