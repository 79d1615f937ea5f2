import BLECore

/// Sensors to be fastened to something, with their public sources.
extension FixedLayout {
  static let tags = ruuvi + mikroTik + kSensor + holyIOT + minew + aprilBrother + ela + teltonika

  /// Thousandths of the earth's acceleration, which is 9.80665 m/s².
  static func thousandths(_ field: FixedField) -> FixedField { field.scaled(980_665, 0, 100_000_000, decimals: nil) }

  /// MikroTik's TG-BT5, not encrypted. Sources: https://help.mikrotik.com/docs/display/UM/MikroTik+Tag+advertisement+formats and
  /// https://github.com/custom-components/ble_monitor
  private static let mikroTik: [FixedLayout] = [
    FixedLayout(
      format: .mikroTik, place: .company(0x094F), lengths: [18], constants: [0: [1]],
      bits: [OctetBits(1, 0x01, is: 0)],
      fields: [FixedField("Version", 0..<1).framing, FixedField("Salt", 2..<4).framing]
        + FixedField.axes(at: 4, .signedLittle) { $0.scaled(1, 0, 256, decimals: 4) } + [
          FixedField(.temperature, 10..<12, .signedLittle).scaled(1, 0, 256, in: FixedField.degrees).with {
            $0.none = [0x8000]
          },
          FixedField(.uptime, 12..<16), FixedField("Magnet", 16..<17).bit(0, "away", "near"),
          FixedField("Tilt", 16..<17).bit(1, "no", "yes"), FixedField("Fall", 16..<17).bit(2, "no", "yes"),
          FixedField.battery(17).lowBits,
        ])
  ]

  /// KKM's K6 and K9, and Blue Charm's beacons: a mask, and what it says is there. Sources: https://github.com/kkmhogen/KBeaconProDemo_Android,
  /// https://github.com/theengs/decoder and https://github.com/custom-components/ble_monitor
  private static let kSensor: [FixedLayout] = ([0x03, 0x07, 0x0B, 0x0F] as [UInt8]).map { mask in
    var fields: [FixedField] = [
      FixedField("Frame type", 0..<1).framing, FixedField("Sensors", 1..<3, .big).framing, .millivolts(3..<5, .big),
      FixedField(.temperature, 5..<7, .signedBig).scaled(1, 0, 256, in: FixedField.degrees),
    ]
    var length = 7
    if mask & 0x04 != 0 {
      fields.append(FixedField(.humidity, 7..<9, .big).scaled(1, 0, 256, in: FixedField.percents))
      length += 2
    }
    if mask & 0x08 != 0 {
      fields += FixedField.axes(at: length, .signedBig, thousandths)
      length += 6
    }
    return FixedLayout(
      format: .kSensor, place: .service(0xFEAA), lengths: [length], constants: [0: [0x21], 1: [0, 1], 2: [mask]],
      fields: fields)
  }

  /// Which of its sensors speaks is in the message. Sources: https://github.com/custom-components/ble_monitor and
  /// https://github.com/theengs/decoder
  private static let holyIOT: [FixedLayout] = [
    holyIOT(1, FixedField(.temperature, 11..<13, .signedDegreesAndHundredths).within(FixedField.degrees)),
    holyIOT(
      2, FixedField(.pressure, 11..<13, .signedBig).scaled(1, 80_000, 100, in: FixedField.hectopascals)),
    holyIOT(3, FixedField(.humidity, 11..<12).within(FixedField.percents)),
    holyIOT(4, FixedField(.vibration, 11..<12).saying([0: "clear", 1: "detected"])),
  ]

  private static func holyIOT(_ kind: UInt8, _ field: FixedField) -> FixedLayout {
    FixedLayout(
      format: .holyIOT, place: .service(0x5242), lengths: [13], constants: [0: [0x41], 10: [kind]],
      address: (2, false), fields: [.battery(1), .address(2), FixedField("Sensor", 10..<11).framing, field])
  }

  /// Minew's thermometers, light sensors and accelerometers. The services of these two are everybody's: the address has to be the one that was heard,
  /// in either order. Sources: https://github.com/reelyactive/advlib-ble-services and its tests, after Minew's own description
  private static let minew: [FixedLayout] =
    minew(
      0x01, 13,
      [
        FixedField(.temperature, 3..<5, .signedBig).scaled(1, 0, 256, in: FixedField.degrees),
        FixedField(.humidity, 5..<7, .big).scaled(1, 0, 256, in: FixedField.percents),
      ]) + minew(0x02, 10, [FixedField(.light, 3..<4).bit(0, "none", "detected")])
    + minew(0x03, 15, FixedField.axes(at: 3, .signedBig) { $0.scaled(980_665, 0, 25_600_000, decimals: 4) })

  private static func minew(_ kind: UInt8, _ length: Int, _ fields: [FixedField]) -> [FixedLayout] {
    [false, true].map { isLittle in
      FixedLayout(
        format: .minew, place: .service(0xFFE1), lengths: [length], constants: [0: [0xA1], 1: [kind]],
        address: (length - 6, isLittle),
        fields: [FixedField("Frame", 0..<2).framing, .battery(2)] + fields + [.address(length - 6, isLittle: isLittle)])
    }
  }

  /// April Brother's N03. Sources: https://github.com/AprilBrother/wiki.aprbrother/blob/master/en/ABSensor.md and
  /// https://github.com/theengs/decoder
  private static let aprilBrother: [FixedLayout] = [false, true].map { isLittle in
    FixedLayout(
      format: .aprilBrother, place: .service(0xFE59), lengths: [15], literals: [0: [0xAB, 0x03]],
      address: (2, isLittle),
      fields: [
        FixedField("Device type", 0..<2).framing, .address(2, isLittle: isLittle), .battery(8),
        FixedField(.temperature, 9..<11, .signedLittle).over(8, in: FixedField.degrees),
        FixedField(.humidity, 11..<13).over(2, in: FixedField.percents), FixedField(.illuminance, 13..<15),
      ])
  }
}
