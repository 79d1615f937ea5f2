import BLECore

/// Sensors of a plant's soil, with their public sources. Mi Flora is among MiBeacon's.
extension FixedLayout {
  static let plants = parasite + flowerCare

  /// b-parasite's own format, of versions 1 and 2, with and without light. Sources: https://github.com/rbaron/b-parasite,
  /// https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let parasite: [FixedLayout] = [
    parasite([0x10], 16, 1_000, []), parasite([0x20], 16, 100, []),
    parasite([0x11], 18, 1_000, [FixedField(.illuminance, 16..<18, .big)]),
    parasite([0x21], 18, 100, [FixedField(.illuminance, 16..<18, .big)]),
  ]

  private static func parasite(
    _ version: Set<UInt8>, _ length: Int, _ parts: Int, _ last: [FixedField]
  ) -> FixedLayout {
    FixedLayout(
      format: .bParasite, place: .service(0x181A), lengths: [length], constants: [0: version], address: (10, false),
      fields: [
        FixedField("Version", 0..<1).framing, FixedField("Counter", 1..<2).framing, .millivolts(2..<4, .big),
        FixedField(.temperature, 4..<6, .signedBig).over(parts, in: FixedField.degrees),
        FixedField(.humidity, 6..<8, .big).scaled(100, 0, 65_535, in: FixedField.percents),
        FixedField(.moisture, 8..<10, .big).scaled(100, 0, 65_535, in: FixedField.percents), .address(10),
      ] + last)
  }

  /// HHCC's Flower Care, its later model. Sources: https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let flowerCare: [FixedLayout] = [
    FixedLayout(
      format: .hhcc, place: .service(0xFD50), lengths: [9],
      fields: [
        FixedField(.moisture, 0..<1).within(FixedField.percents),
        FixedField(.temperature, 1..<3, .signedBig).over(10, in: -40.0...80.0),
        FixedField(.illuminance, 3..<6, .big).within(0...200_000), .battery(6),
        FixedField(.conductivity, 7..<9, .big).within(0...20_000),
      ])
  ]
}
