/// Arithmetic on octets that wraps: what vendors' checksums and rolling keys are made of.
///
/// Intermediate results may be negative or large; the result is the remainder from 0 to 255.
public struct Modulo256: Sendable, Hashable, Codable {
  /// The remainder.
  public let octet: UInt8

  /// The remainder of any integer: -3 is 253, 256 is 0.
  public init(_ value: some BinaryInteger) {
    octet = UInt8(truncatingIfNeeded: value)
  }

  /// The sum, without what goes over 255.
  public static func + (left: Modulo256, right: Modulo256) -> Modulo256 { Modulo256(left.octet &+ right.octet) }
  /// The difference; below 0 it goes on from 255.
  public static func - (left: Modulo256, right: Modulo256) -> Modulo256 { Modulo256(left.octet &- right.octet) }
  /// The product, without what goes over 255.
  public static func * (left: Modulo256, right: Modulo256) -> Modulo256 { Modulo256(left.octet &* right.octet) }
  /// What makes 0 together with it.
  public static prefix func - (value: Modulo256) -> Modulo256 { Modulo256(0 &- value.octet) }

  /// The sum of all octets.
  public static func sum(of octets: some Sequence<UInt8>) -> Modulo256 {
    Modulo256(octets.reduce(UInt8(0), &+))
  }

  /// What makes the sum of all octets and itself 0: the two's complement checksum.
  public static func complement(of octets: some Sequence<UInt8>) -> Modulo256 { -sum(of: octets) }

  /// All octets combined by exclusive or.
  public static func exclusiveOr(of octets: some Sequence<UInt8>) -> Modulo256 {
    Modulo256(octets.reduce(UInt8(0), ^))
  }
}

extension Modulo256: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self.init(value) }
}
