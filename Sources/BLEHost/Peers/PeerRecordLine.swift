import BLEAdapter
import BLECore

/// The text form of a peer file: a header line with the secret, then a line for each peer.
///
///     swift-corebluetooth peers 1 <32 hexadecimal digits: the secret>
///     <identifier, 32 digits> <public|random> <address, 12 digits> <name, or -> <check, 8 digits>
///
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
    var text = hexadecimal(peer.identifier.high, digits: 16) + hexadecimal(peer.identifier.low, digits: 16)
    text += peer.address.kind == .public ? " public " : " random "
    text += hexadecimal(peer.address.value, digits: 12) + " "
    text += peer.name.map(escaped) ?? "-"
    return text + " " + hexadecimal(UInt64(check(text.utf8)), digits: 8) + "\n"
  }

  /// Returns the peer; `nil` if the line is invalid or incomplete.
  static func peer(of line: Substring) -> KnownPeer? {
    let fields = line.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 5, fields[0].utf8.count == 32, let sum = UInt32(fields[4], radix: 16),
      sum == check(line[..<fields[3].endIndex].utf8),
      let high = UInt64(fields[0].prefix(16), radix: 16), let low = UInt64(fields[0].dropFirst(16), radix: 16),
      let value = UInt64(fields[2], radix: 16)
    else { return nil }
    let kind: DeviceAddress.Kind
    switch fields[1] {
    case "public": kind = .public
    case "random": kind = .random
    default: return nil
    }
    return KnownPeer(
      identifier: PeerIdentifier(high: high, low: low), address: DeviceAddress(value, kind: kind),
      name: fields[3] == "-" ? nil : unescaped(fields[3]))
  }

  private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func escaped(_ name: String) -> String {
    var text = ""
    for (index, octet) in name.utf8.prefix(longestName).enumerated() {
      // A single dash means that there is no name.
      let isPlain = octet > 0x20 && octet < 0x7F && octet != 0x25 && (octet != 0x2D || index > 0)
      text += isPlain ? String(UnicodeScalar(octet)) : "%" + hexadecimal(UInt64(octet), digits: 2)
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

  /// FNV-1a, 32 bits: detects accidental damage, not changes by an attacker who can write the file.
  private static func check(_ octets: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = 0x811C_9DC5
    for octet in octets { sum = (sum ^ UInt32(octet)) &* 0x0100_0193 }
    return sum
  }
}
