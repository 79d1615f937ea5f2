/// Modulo 256 arithmetic on octets, as vendors' checksums and rolling keys use it.
///
/// Intermediate results may be negative or large; the result is the remainder from 0 to 255.
public struct Modulo256: Sendable, Hashable, Codable {
  /// The remainder.
  public let octet: UInt8

  /// The remainder of any integer: -3 is 253, 256 is 0.
  public init(_ value: some BinaryInteger) {
    octet = UInt8(truncatingIfNeeded: value)
  }

  /// The sum modulo 256.
  public static func + (left: Modulo256, right: Modulo256) -> Modulo256 { Modulo256(left.octet &+ right.octet) }
  /// The difference modulo 256.
  public static func - (left: Modulo256, right: Modulo256) -> Modulo256 { Modulo256(left.octet &- right.octet) }
  /// The product modulo 256.
  public static func * (left: Modulo256, right: Modulo256) -> Modulo256 { Modulo256(left.octet &* right.octet) }
  /// The additive inverse.
  public static prefix func - (value: Modulo256) -> Modulo256 { Modulo256(0 &- value.octet) }

  /// Returns the sum of all octets.
  public static func sum(of octets: some Sequence<UInt8>) -> Modulo256 {
    Modulo256(octets.reduce(UInt8(0), &+))
  }

  /// Returns the two's complement checksum: the sum of all octets and the checksum is 0.
  public static func complement(of octets: some Sequence<UInt8>) -> Modulo256 { -sum(of: octets) }

  /// Returns the XOR of all octets.
  public static func exclusiveOr(of octets: some Sequence<UInt8>) -> Modulo256 {
    Modulo256(octets.reduce(UInt8(0), ^))
  }
}

extension Modulo256: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self.init(value) }
}
