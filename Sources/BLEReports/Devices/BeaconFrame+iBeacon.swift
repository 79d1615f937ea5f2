import BLECore

extension BeaconFrame {
  /// Apple's company identifier, and the type.
  private static let start: [UInt8] = [0x4C, 0x00, 0x02]
  /// Of what follows the octet that says it.
  private static let length = 21

  /// - Parameter manufacturerData: the company identifier, and what follows it.
  /// - Returns: `nil` for data that is not an iBeacon's: of another company, or of another of Apple's types.
  package init?(manufacturerData: [UInt8]) {
    guard manufacturerData.starts(with: Self.start) else { return nil }
    var reader = BeaconReader(manufacturerData.dropFirst(2))
    reader.field("Type", 1, isFraming: true, BeaconReader.code)
    if let length = reader.next, length != Self.length {
      reader.complain("Length is \(length), and \(Self.length) in an iBeacon")
    }
    reader.field("Length", 1, unit: "octets", isFraming: true, BeaconReader.unsigned)
    reader.field("Proximity UUID", 16) { .text(Self.uuid($0)) }
    reader.field("Major", 2, BeaconReader.unsigned)
    reader.field("Minor", 2, BeaconReader.unsigned)
    reader.field("Measured power at 1 m", 1, unit: "dBm", BeaconReader.signed)
    self.init(.iBeacon, service: nil, reader)
  }

  /// As `UUID` writes it.
  private static func uuid(_ octets: ArraySlice<UInt8>) -> String {
    var text = octets.hexadecimal.uppercased()
    for place in [20, 16, 12, 8] {
      text.insert("-", at: text.index(text.startIndex, offsetBy: min(place, text.count)))
    }
    return text
  }
}
