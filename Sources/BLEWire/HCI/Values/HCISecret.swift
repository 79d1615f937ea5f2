import BLECore

/// Octets that may be a key or lead to one. They print as `<redacted>`; comparing takes the same time whatever they are.
public struct HCISecret: Hashable, Sendable, CustomStringConvertible {
  /// In the order they travel, least significant first.
  public let octets: [UInt8]

  public init(_ octets: some Collection<UInt8>) { self.octets = Array(octets) }

  public static func == (left: Self, right: Self) -> Bool {
    guard left.octets.count == right.octets.count else { return false }
    var difference: UInt8 = 0
    for index in left.octets.indices { difference |= left.octets[index] ^ right.octets[index] }
    return difference == 0
  }

  public var description: String { "<redacted>" }

  static func example(_ count: Int) -> HCISecret { HCISecret((1...count).map { UInt8(truncatingIfNeeded: $0 &* 7) }) }
}

extension ByteReader {
  mutating func secret(octets count: Int, _ field: StaticString) throws(DecodeError) -> HCISecret {
    HCISecret(try octets(count, field))
  }
}

extension ByteWriter {
  /// Cut or filled up with zeros to exactly `width` octets.
  mutating func append(_ secret: HCISecret, width: Int) { append(contentsOf: secret.octets, paddedTo: width) }
}
