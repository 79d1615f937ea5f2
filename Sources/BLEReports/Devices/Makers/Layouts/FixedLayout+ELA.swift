import BLECore

/// Sensors for freight and vehicles, with their public sources.
extension FixedLayout {
  /// ELA Innovation's, sold by Teltonika and Sensor Easy too. In a newer format the values are behind ELA's company identifier, in an older one they
  /// are data of assigned characteristics, which everybody's could be: there the name has to be one of ELA's. Sources:
  /// https://github.com/reelyactive/advlib-ble-manufacturers, https://github.com/custom-components/ble_monitor and https://github.com/theengs/decoder
  static let ela: [FixedLayout] = [
    ela(0x12, 3, [temperature(at: 1)]),
    ela(0x21, 5, [FixedField(.humidity, 1..<2).within(FixedField.percents), temperature(at: 3)]).with {
      $0.constants[2] = [0x12]
    },
    ela(
      0x32, 3,
      [FixedField(.opening, 1..<3).bit(0, "open", "closed"), FixedField("Changes", 1..<3).with { $0.bits = 1..<16 }]),
    ela(
      0x42, 3,
      [FixedField(.moving, 1..<3).bit(0, "no", "yes"), FixedField(.movements, 1..<3).with { $0.bits = 1..<16 }]),
    ela(0x92, 3, [FixedField(.motion, 1..<3).bit(0, "clear", "detected")]),
    ela(0x56, 7, FixedField.axes(at: 1, .signedLittle, thousandths)),
    ela(0xF1, 2, [.battery(1)]), ela(0xF2, 3, [.millivolts(1..<3)]),
    FixedLayout(
      format: .ela, place: .service(0x2A6E), lengths: [2],
      names: ["P T", "C T", "P RHT", "C RHT", "PUCK_T"], fields: [temperature(at: 0)]),
    FixedLayout(
      format: .ela, place: .service(0x2A6F), lengths: [1], names: ["P RHT", "C RHT", "PUCK_TH"],
      fields: [FixedField(.humidity, 0..<1).within(FixedField.percents)]),
    FixedLayout(
      format: .ela, place: .service(0x2A06), lengths: [2], names: ["P MAG", "C MAG"],
      fields: [FixedField(.opening, 0..<2).bit(0, "open", "closed")]),
  ]

  private static func ela(_ kind: UInt8, _ length: Int, _ fields: [FixedField]) -> FixedLayout {
    FixedLayout(
      format: .ela, place: .company(0x0757), lengths: [length], constants: [0: [kind]],
      fields: [FixedField("Frame", 0..<1).framing] + fields)
  }

  private static func temperature(at place: Int) -> FixedField {
    FixedField(.temperature, place..<place + 2, .signedLittle).over(100, none: [0x7FFF], in: FixedField.degrees)
  }

  /// Teltonika's EYE: flags, and what they say is there, in every combination. Sources:
  /// https://wiki.teltonika-gps.com/view/EYE_SENSOR_/_BTSMP1 and https://github.com/custom-components/ble_monitor
  static let teltonika: [FixedLayout] = (0..<32).map { combination in
    let parts: [(flag: UInt8, length: Int, fields: (Int) -> [FixedField])] = [
      (0x01, 2, { [FixedField(.temperature, $0..<$0 + 2, .signedBig).over(100, in: FixedField.degrees)] }),
      (0x02, 1, { [FixedField(.humidity, $0..<$0 + 1).within(FixedField.percents)] }),
      (
        0x10, 2,
        {
          [
            FixedField(.movements, $0..<$0 + 2, .big).with { $0.bits = 0..<15 },
            FixedField(.moving, $0..<$0 + 2, .big).bit(15, "no", "yes"),
          ]
        }
      ),
      (
        0x20, 3,
        {
          [
            FixedField(.pitch, $0..<$0 + 1, .signedBig).within(-90...90),
            FixedField(.roll, $0 + 1..<$0 + 3, .signedBig).within(-180...180),
          ]
        }
      ),
      (0x80, 1, { [FixedField(.voltage, $0..<$0 + 1).scaled(10, 2_000, 1_000)] }),
    ]
    var (fields, length, flags) = ([FixedField](), 2, UInt8(0))
    for (index, part) in parts.enumerated() where combination >> index & 1 == 1 {
      fields += part.fields(length)
      length += part.length
      flags |= part.flag
    }
    return FixedLayout(
      format: .teltonika, place: .company(0x089A), lengths: [length], constants: [0: [1]],
      bits: [OctetBits(1, 0xB3, is: flags)],
      fields: [
        FixedField("Version", 0..<1).framing, FixedField(.lowBattery, 1..<2).bit(6, "normal", "low"),
        FixedField("Magnet", 1..<2).bit(3, "away", "near").when(OctetBits(1, 0x04, is: 0x04)),
      ] + fields)
  }
}
