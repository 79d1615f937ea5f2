import BLECore

/// 128 bits: a block, a nonce, a check value or an authentication code.
///
/// Numbers instead of an array, so that nothing is allocated and the order of octets is unambiguous: the specification prints the
/// most significant octet first, on the air the least significant is first.
public struct AESBlock: Hashable, Sendable {
  /// The upper and the lower 64 bits.
  public var high: UInt64
  public var low: UInt64

  public static let octetCount = 16
  public static let zero = AESBlock(high: 0, low: 0)

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Sixteen octets as the specification prints them; `nil` for any other count.
  public init?(mostSignificantFirst octets: some Collection<UInt8>) {
    guard octets.count == Self.octetCount else { return nil }
    self = Self.zero
    for octet in octets { shiftIn(octet) }
  }

  /// Sixteen octets as on the air; `nil` for any other count.
  public init?(leastSignificantFirst octets: some BidirectionalCollection<UInt8>) {
    self.init(mostSignificantFirst: octets.reversed())
  }

  public var mostSignificantFirst: [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(Self.octetCount)
    for shift in stride(from: 56, through: 0, by: -8) {
      octets.append(UInt8(truncatingIfNeeded: high >> UInt64(shift)))
    }
    for shift in stride(from: 56, through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: low >> UInt64(shift))) }
    return octets
  }

  public var leastSignificantFirst: [UInt8] { mostSignificantFirst.reversed() }

  public static func ^ (left: AESBlock, right: AESBlock) -> AESBlock {
    AESBlock(high: left.high ^ right.high, low: left.low ^ right.low)
  }

  /// Shifts all octets up by one and puts `octet` in the lowest place.
  mutating func shiftIn(_ octet: UInt8) {
    high = high << 8 | low >> 56
    low = low << 8 | UInt64(octet)
  }

  /// Shifted up by one bit.
  var doubled: AESBlock { AESBlock(high: high << 1 | low >> 63, low: low << 1) }

  /// Compares in a time that does not depend on where the values differ.
  public static func constantTimeEquals(_ left: AESBlock, _ right: AESBlock) -> Bool {
    (left.high ^ right.high) | (left.low ^ right.low) == 0
  }
}
