import BLECore

/// Octets that may be a key or lead to one. They print as `<redacted>`; comparing takes the same time whatever they are.
public struct HCISecret: Hashable, Sendable, Redacted {
  /// In the order they travel, least significant first.
  public let octets: [UInt8]

  public init(_ octets: some Collection<UInt8>) { self.octets = Array(octets) }

  public static func == (left: Self, right: Self) -> Bool {
    guard left.octets.count == right.octets.count else { return false }
    var difference: UInt8 = 0
    for index in left.octets.indices { difference |= left.octets[index] ^ right.octets[index] }
    return difference == 0
  }
}

extension WireForm where Value == HCISecret {
  /// Exactly `count` octets; when written, cut or filled up with zeros.
  static func secret(octets count: Int) -> Self {
    let octets = WireForm<[UInt8]>.octets(count)
    return Self(
      read: { reader, field throws(DecodeError) in HCISecret(try octets.read(&reader, field)) },
      write: { value, writer in octets.write(value.octets, &writer) }, examples: octets.examples.map { HCISecret($0) })
  }
}
