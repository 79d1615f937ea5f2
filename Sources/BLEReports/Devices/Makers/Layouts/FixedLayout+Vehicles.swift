import BLECore

/// Tyres and batteries of vehicles, with public sources.
extension FixedLayout {
  static let vehicles = tyres + valves + batteries

  /// Tyre sensors of ZEEPIN, TP630 and others. Sources: https://github.com/ra6070/BLE-TPMS, https://github.com/andi38/TPMS and
  /// https://github.com/theengs/decoder
  private static let tyres: [FixedLayout] = [
    FixedLayout(
      format: .tyres, place: .company(0x0100), lengths: [16], constants: [0: [0x80, 0x81, 0x82, 0x83, 0x84, 0x85]],
      address: (0, false),
      fields: [
        .address(0), FixedField(.tyrePressure, 6..<10).scaled(1, 0, 100_000, in: 0.0...20.0),
        FixedField(.temperature, 10..<14, .signedLittle).over(100, in: FixedField.degrees), .battery(14),
        FixedField(.problem, 15..<16).bit(0, "no", "yes"),
      ])
  ]

  /// Tyre sensors with the name BR. Sources: https://github.com/andi38/TPMS and https://github.com/theengs/decoder
  private static let valves: [FixedLayout] = [
    FixedLayout(
      format: .valves, place: .manufacturer, lengths: [7], names: ["BR"], service: BLEUUID("27A5"),
      fields: [
        FixedField("Status", 0..<1).framing, FixedField(.voltage, 1..<2).over(10, in: FixedField.volts),
        FixedField(.temperature, 2..<3, .signedLittle).within(FixedField.degrees),
        FixedField(.tyrePressure, 3..<5, .big).scaled(1, -145, 145, in: -1.0...20.0),
      ])
  ]

  /// The battery monitor BM2, an iBeacon of its own UUID. Later ones encrypt, and what others of the kind say is not published twice. Sources:
  /// https://github.com/theengs/decoder, and what Home Assistant's integrations of it say
  private static let batteries: [FixedLayout] = [
    FixedLayout(
      format: .batteryMonitor, place: .company(0x004C), lengths: [23],
      literals: [
        0: beacon + [
          0x65, 0x5F, 0x83, 0xCA, 0xAE, 0x16, 0xA1, 0x0A, 0x70, 0x2E, 0x31, 0xF3, 0x0D, 0x58, 0xDD, 0x82,
        ]
      ],
      fields: [FixedField("Proximity UUID", 2..<18).framing, .battery(22)])
  ]
}
