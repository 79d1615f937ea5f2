import BLECore

/// Meters, taps, doors and tools, with public sources.
extension FixedLayout {
  static let house = mopeka + iNode + oras + amphiro + beeWi + ecoFlow + uniT

  /// Mopeka's sensors below a tank. How high it is filled depends on the liquid, which is not said. Sources:
  /// https://github.com/Bluetooth-Devices/mopeka-iot-ble and https://github.com/theengs/decoder
  private static let mopeka: [FixedLayout] = [
    FixedLayout(
      format: .mopeka, place: .company(0x0059), lengths: [10],
      constants: [0: [0x03, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x12]], service: BLEUUID("FEE5"),
      fields: [
        FixedField("Model", 0..<1).framing,
        FixedField(.voltage, 1..<2).scaled(1, 0, 32, decimals: nil, in: FixedField.volts).lowBits,
        FixedField(.temperature, 2..<3).scaled(1, -40, 1, decimals: nil).lowBits,
        FixedField("Level without temperature", 3..<5, unit: "mm").with { $0.bits = 0..<14 },
        FixedField("Quality", 3..<5).with { $0.bits = 14..<16 },
      ])
  ]

  /// iNode's meter of electricity. What tells one of water or gas, the sources do not say alike: only what all of them take for electricity is read.
  /// Sources: https://github.com/theengs/decoder and https://github.com/custom-components/ble_monitor
  private static let iNode: [FixedLayout] = [
    FixedLayout(
      format: .iNode, place: .manufacturer, lengths: [11], bits: [OctetBits(7, 0xD0, is: 0)],
      fields: [
        FixedField(.power, 0..<2).scaled(60_000, 0, 1, in: 0.0...1_000_000).with { $0.dividedBy = pulses },
        FixedField(.energy, 2..<6).scaled(1, 0, 1, decimals: 4).with { $0.dividedBy = pulses },
        FixedField("Pulses for each unit", 6..<8).with { $0.bits = 0..<14 }.framing,
        FixedField(.battery, 8..<9).with {
          $0.bits = 4..<8
          $0.table = [
            1: 100, 2: 10, 3: 20, 4: 30, 5: 40, 6: 50, 7: 60, 8: 70, 9: 80, 10: 90, 11: 100, 12: 100, 13: 100, 14: 100,
            15: 100,
          ]
        },
      ])
  ].flatMap { $0.behind([0x8290, 0x8292, 0x8294, 0x8296]) }

  private static let pulses = FixedField.Divisor(octets: 6..<8, bits: 0..<14, zero: 100)

  /// Oras' taps. Sources: https://github.com/theengs/decoder and https://github.com/custom-components/ble_monitor
  private static let oras: [FixedLayout] = [
    FixedLayout(
      format: .oras, place: .company(0x0131), lengths: [18],
      literals: [0: [0], 2: [0], 13: [0, 0x20, 0x20, 0x20, 0x20]],
      fields: [.battery(1), FixedField("Serial number", 3..<13, .ascii)])
  ]

  /// Amphiro's shower meter. Sources: https://github.com/theengs/decoder and https://github.com/custom-components/ble_monitor
  private static let amphiro: [FixedLayout] = [
    FixedLayout(
      format: .amphiro, place: .company(0xFAEE), lengths: [19], literals: [16: [0, 0, 0]],
      fields: [
        FixedField("Session", 0..<3, .big), FixedField(.duration, 3..<5, .big),
        FixedField(.water, 8..<11, .big).scaled(1, 0, 2_560), FixedField(.temperature, 11..<12).within(0...100),
        FixedField(.energy, 12..<14, .big).over(100),
      ])
  ]

  /// BeeWi's sensor of a door. Sources: https://github.com/theengs/decoder and https://github.com/custom-components/ble_monitor
  private static let beeWi: [FixedLayout] = [
    FixedLayout(
      format: .beeWi, place: .company(0x000D), lengths: [5], literals: [0: [0x08, 0x0C]], constants: [2: [0, 1]],
      fields: [FixedField("Type", 0..<2).framing, FixedField(.opening, 2..<3).bit(0, "closed", "open"), .battery(4)])
  ]

  /// EcoFlow's power stations. Sources: https://github.com/theengs/decoder and https://github.com/rabits/ha-ef-ble
  private static let ecoFlow: [FixedLayout] = [
    FixedLayout(
      format: .ecoFlow, place: .company(0xB5B5), lengths: [24], constants: [0: [0x13]],
      fields: [
        FixedField("Version", 0..<1).framing, FixedField("Serial number", 1..<17, .ascii),
        FixedField.battery(17).lowBits.with { $0.none = [0] },
      ])
  ]

  /// UNI-T's anemometer UT363BT, whose values are texts. What it says of temperature is not told alike everywhere. Sources:
  /// https://github.com/theengs/decoder and https://github.com/sdaviet/UT363BT
  private static let uniT: [FixedLayout] = [
    FixedLayout(
      format: .uniT, place: .company(0xBBAA), lengths: [17],
      literals: [0: [0x10, 0x05, 0x37], 9: [0x4D, 0x2F, 0x53, 0x34]],
      fields: [
        FixedField("Header", 0..<3).framing, FixedField(.speed, 3..<9, .decimalText),
        FixedField("Unit", 9..<12, .ascii),
      ])
  ]
}
