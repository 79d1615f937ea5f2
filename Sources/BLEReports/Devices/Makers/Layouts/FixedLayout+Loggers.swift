import BLECore

/// Thermometers that keep what they measure, with their public sources.
extension FixedLayout {
  static let loggers = thermoBeacon + sensorPro + blueMaestro + sensorPush + moat + smartDry

  /// ThermoBeacon's, under many names, with company identifiers of others: the address has to be the one that was heard. Sources:
  /// https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let thermoBeacon: [FixedLayout] = [
    FixedLayout(
      format: .thermoBeacon, place: .manufacturer, lengths: [18], address: (2, true),
      fields: [
        .address(2, isLittle: true), .millivolts(8..<10),
        FixedField(.temperature, 10..<12, .signedLittle).scaled(1, 0, 16, in: FixedField.degrees),
        FixedField(.humidity, 12..<14).scaled(1, 0, 16, in: FixedField.percents), FixedField(.uptime, 14..<18),
      ]),
    // The extremes since it was switched on.
    FixedLayout(
      format: .thermoBeacon, place: .manufacturer, lengths: [20], address: (2, true),
      fields: [
        .address(2, isLittle: true),
        FixedField("Highest temperature", 8..<10, .signedLittle, unit: "°C").scaled(1, 0, 16, in: FixedField.degrees),
        FixedField("Time of the highest", 10..<14, unit: "s"),
        FixedField("Lowest temperature", 14..<16, .signedLittle, unit: "°C").scaled(1, 0, 16, in: FixedField.degrees),
        FixedField("Time of the lowest", 16..<20, unit: "s"),
      ]),
  ].flatMap { $0.behind([0x0010, 0x0011, 0x0015, 0x0018, 0x001B]) }

  /// SensorPro's T201 and T301, sold by Brifit, Oria and others too. Sources: https://github.com/Bluetooth-Devices/sensorpro-ble,
  /// https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let sensorPro: [FixedLayout] = [
    FixedLayout(
      format: .sensorPro, place: .company(0xAA55), lengths: [17, 18], constants: [0: [1], 1: [1, 5]],
      address: (2, false),
      fields: [
        .address(2), FixedField(.voltage, 8..<10, .big).over(100, in: FixedField.volts),
        FixedField(.temperature, 10..<12, .signedBig).over(100, in: FixedField.degrees),
        FixedField(.humidity, 12..<14, .big).over(100, in: FixedField.percents), .battery(14),
      ])
  ]

  /// Blue Maestro's Tempo Disc: T, THD and THPD. Sources: https://github.com/Bluetooth-Devices/bluemaestro-ble,
  /// https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let blueMaestro: [FixedLayout] = [
    disc([0x0D], 10, []),
    disc([0x16, 0x17], 14, [FixedField(.dewPoint, 10..<12, .signedBig).over(10, in: FixedField.degrees)]),
    disc([0x1B], 14, [FixedField(.pressure, 10..<12, .big).over(10, in: FixedField.hectopascals)]),
  ]

  private static func disc(_ versions: Set<UInt8>, _ length: Int, _ last: [FixedField]) -> FixedLayout {
    let humidity = FixedField(.humidity, 8..<10, .big).over(10, in: FixedField.percents)
    return FixedLayout(
      format: .blueMaestro, place: .company(0x0133), lengths: [length], constants: [0: versions],
      fields: [
        FixedField("Version", 0..<1).framing, .battery(1), FixedField("Interval", 2..<4, .big, unit: "s"),
        FixedField("Values kept", 4..<6, .big),
        FixedField(.temperature, 6..<8, .signedBig).over(10, in: FixedField.degrees),
      ] + (last.isEmpty ? [] : [humidity] + last))
  }

  /// SensorPush's HT.w and HTP.xw, whose values are the digits of one number, each with a base of its own. Sources:
  /// https://github.com/Bluetooth-Devices/sensorpush-ble, https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let sensorPush: [FixedLayout] = [
    sensorPush(0x04, 5, bases: (66_001, 40_001), []),
    sensorPush(
      0x00, 7, bases: (72_001, 40_001),
      [
        FixedField(.pressure, 1..<7).scaled(1, 30_000, 100, in: 300.0...1_250.0).with {
          ($0.quotient, $0.remainder) = (72_001 * 40_001, 95_001)
        }
      ]),
  ]

  private static func sensorPush(
    _ type: UInt8, _ length: Int, bases: (Int, Int), _ last: [FixedField]
  ) -> FixedLayout {
    FixedLayout(
      format: .sensorPush, place: .manufacturer, lengths: [length], constants: [0: [type]],
      service: BLEUUID("EF090000-11D6-42BA-93B8-9DD7EC090AB0"),
      fields: [
        FixedField(.temperature, 1..<length).scaled(25, -400_000, 10_000, in: FixedField.degrees).with {
          $0.remainder = bases.0
        },
        FixedField(.humidity, 1..<length).scaled(25, 0, 10_000, in: FixedField.percents).with {
          ($0.quotient, $0.remainder) = (bases.0, bases.1)
        },
      ] + last)
  }

  /// Sources: https://github.com/Bluetooth-Devices/moat-ble and https://github.com/custom-components/ble_monitor
  private static let moat: [FixedLayout] = [
    FixedLayout(
      format: .moat, place: .company(0x1000), lengths: [18], literals: [16: [0, 0]], names: ["Moat_S"],
      fields: [
        FixedField(.temperature, 10..<12).scaled(17_572, -4_685 * 65_536, 6_553_600, in: FixedField.degrees),
        FixedField(.humidity, 12..<14).scaled(125, -6 * 65_536, 65_536, in: FixedField.percents),
        .millivolts(14..<16),
      ])
  ]

  /// SmartDry's sensor in a laundry dryer. What it says of its battery, and of being awake, is not told alike everywhere. Sources:
  /// https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  private static let smartDry: [FixedLayout] = [
    FixedLayout(
      format: .smartDry, place: .company(0x01AE), lengths: [12],
      fields: [
        FixedField(.temperature, 0..<4, .binary32).within(FixedField.degrees),
        FixedField(.humidity, 4..<8, .binary32).within(FixedField.percents), FixedField("Shaking", 8..<10),
      ])
  ]
}
