import BLEAdapter
import BLECore
import BLEHost

/// The text form of a peer file: a header line with the secret, then a line for each peer.
///
///     swift-corebluetooth peers 1 <32 hexadecimal digits: the secret>
///     <identifier, 32 digits> <public|random> <address, 12 digits> <name, or -> [<name that was read>] <check, 8 digits>
///
/// The name before the one that was read is the advertised one. Earlier versions wrote one name, of either kind, and skip lines with two.
/// A name is UTF-8 with all but plain characters as `%XX`, so that a hostile name cannot end a line. By the check, a line that was
/// truncated or joined with the next one is detected and skipped.
enum PeerRecordLine {
  private static let title = "swift-corebluetooth peers 1 "
  /// The longest device name, in octets (Core, Vol 3 Part C 12.1).
  static let longestName = 248

  static func header(key: [UInt8]) -> String { title + key.hexadecimal + "\n" }

  /// Returns the secret; `nil` if the line is not the header of a peer file.
  static func key(ofHeader line: Substring) -> [UInt8]? {
    guard line.hasPrefix(title), let key = [UInt8](hexadecimal: line.dropFirst(title.count)),
      key.count == PeerRecords.keyLength
    else { return nil }
    return key
  }

  static func line(for peer: KnownPeer) -> String {
    var text = peer.identifier.high.hexadecimal(16) + peer.identifier.low.hexadecimal(16)
    text += " \(StoredText.words(for: peer.address)) " + (peer.advertisedName.map(escaped) ?? "-")
    if let name = peer.readName { text += " " + escaped(name) }
    return text + " " + StoredText.check(text.utf8).hexadecimal(8) + "\n"
  }

  /// Returns the peer; `nil` if the line is invalid or incomplete.
  static func peer(of line: Substring) -> KnownPeer? {
    let fields = line.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 5 || fields.count == 6, fields[0].utf8.count == 32,
      let sum = UInt32(fields[fields.count - 1], radix: 16),
      sum == StoredText.check(line[..<fields[fields.count - 2].endIndex].utf8),
      let high = UInt64(fields[0].prefix(16), radix: 16), let low = UInt64(fields[0].dropFirst(16), radix: 16),
      let address = StoredText.address(fields[1], fields[2])
    else { return nil }
    return KnownPeer(
      identifier: PeerIdentifier(high: high, low: low), address: address,
      name: fields[3] == "-" ? nil : unescaped(fields[3]), readName: fields.count == 6 ? unescaped(fields[4]) : nil)
  }

  private static func escaped(_ name: String) -> String {
    var text = ""
    for (index, octet) in name.utf8.prefix(longestName).enumerated() {
      // A single dash means that there is no name.
      let isPlain = octet > 0x20 && octet < 0x7F && octet != 0x25 && (octet != 0x2D || index > 0)
      text += isPlain ? String(UnicodeScalar(octet)) : "%" + octet.hexadecimal(2)
    }
    // An empty name differs from no name.
    return text.isEmpty ? "%" : text
  }

  private static func unescaped(_ text: Substring) -> String {
    var octets: [UInt8] = []
    var rest = text.utf8
    while let octet = rest.popFirst() {
      guard octet == 0x25 else {
        octets.append(octet)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { break }
      octets.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: octets, as: UTF8.self)
  }
}
