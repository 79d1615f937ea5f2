import BLECore

/// Sources: https://github.com/Bluetooth-Devices/qingping-ble and https://github.com/custom-components/ble_monitor
extension BeaconFrame {
  /// Assigned to Qingping.
  private static let qingping: UInt16 = 0xFDCD
  /// Of the first octet: frames with other low bits are not known.
  private static let (plainMask, plain): (UInt8, UInt8) = (0x3F, 0x08)
  private static let event: UInt8 = 0x40

  private static let percents = 0.0...100.0

  /// Measurements by their identifiers, with their lengths in octets.
  private static let measured: [UInt8: (length: Int, fields: [FixedField])] = [
    0x01: (
      4,
      [
        FixedField(.temperature, 0..<2, .signedLittle).over(10, in: -100.0...200.0),
        FixedField(.humidity, 2..<4).over(10, in: percents),
      ]
    ),
    // 255: without a battery.
    0x02: (1, [FixedField(.battery, 0..<1).over(1, none: [255], in: percents)]),
    0x04: (1, [FixedField(.door, 0..<1).saying([0: "open", 1: "closed", 2: "open"])]),
    0x07: (2, [FixedField(.pressure, 0..<2).over(10)]),
    0x08: (
      4,
      [
        FixedField(.motion, 0..<1).with { $0.words = [0: "clear", 1: "detected"] }, FixedField(.illuminance, 1..<4),
      ]
    ),
    0x09: (4, [FixedField(.illuminance, 0..<4)]),
    0x0F: (1, [FixedField("Packet number", 0..<1).with { $0.isFraming = true }]),
    0x11: (1, [FixedField(.light, 0..<1).saying([0: "none", 1: "detected"])]),
    0x12: (4, [FixedField(.fineDust, 0..<2), FixedField(.dust, 2..<4)]),
    0x13: (2, [FixedField(.carbonDioxide, 0..<2)]),
  ]
  /// In an event, what follows the motion is no illuminance.
  private static let motion = [FixedField(.motion, 0..<1).saying([0: "clear", 1: "detected"])]

  /// Measurements in the data of Qingping's service.
  /// - Returns: `nil` for the data of another service, and for a frame that is not known.
  package init?(qingping service: String, data: [UInt8]) {
    guard BLEUUID(service)?.short == Self.qingping, let control = data.first, control & Self.plainMask == Self.plain
    else { return nil }
    var reader = BeaconReader(data)
    reader.field("Frame control", 1, isFraming: true, BeaconReader.code)
    reader.field("Product", 1, BeaconReader.code)
    reader.field("Device address", 6) { BeaconReader.address($0.reversed()) }
    Self.readMeasurements(&reader, isEvent: control & Self.event != 0)
    self.init(.qingping, service: service, reader)
  }

  private static func readMeasurements(_ reader: inout BeaconReader, isEvent: Bool) {
    while let identifier = reader.next {
      let length = Int(reader.second ?? 0)
      let known = measured[identifier]
      let fields = identifier == 0x08 && isEvent ? motion : known?.fields ?? []
      let name = fields.first?.name ?? "Object 0x" + [identifier].hexadecimal.uppercased()
      guard let known, reader.left >= 2 + length else {
        // Read too short, it is the last.
        let isThere = reader.left >= 2 + length
        reader.field(name, 2 + length) { BeaconReader.digits($0.dropFirst(2)) }
        if isThere { continue } else { return }
      }
      let data = reader.rest(2 + length).dropFirst(2)
      guard known.length == length, fields.allSatisfy({ $0.isPossible(in: data) }) else {
        reader.complain("\(name) has a length or value that it cannot have")
        reader.field(name, 2 + length, BeaconReader.nothing)
        continue
      }
      reader.fixed(fields, length, behind: 2)
    }
  }
}
