import Foundation

/// Which octet of an integer comes first.
public enum ByteOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// The least significant octet first, as Bluetooth does.
  case littleEndian = "little"
  /// The most significant octet first, as many vendors do.
  case bigEndian = "big"
}

extension FixedWidthInteger {
  /// The integer as `width` octets; what does not fit is cut, as a conversion that truncates does.
  public func octets(width: Int = bitWidth / 8, order: ByteOrder) -> Data {
    let fill: UInt8 = self < 0 ? 0xFF : 0
    var octets = Data(repeating: fill, count: Swift.max(0, width))
    var rest = self
    for index in octets.indices.prefix(Self.bitWidth / 8) {
      octets[index] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
    if order == .bigEndian { octets.reverse() }
    return octets
  }

  /// The integer that `octets` stand for; `nil` if there are none or more than the type holds. A signed type takes the sign from the
  /// first bit of the most significant octet, whatever the number of octets.
  public init?(octets: some Collection<UInt8>, order: ByteOrder) {
    guard !octets.isEmpty, octets.count <= Self.bitWidth / 8 else { return nil }
    let significantFirst = order == .bigEndian ? Array(octets) : Array(octets.reversed())
    var value: Self = Self.isSigned && significantFirst[0] & 0x80 != 0 ? ~0 : 0
    for octet in significantFirst {
      value = value << 8 | Self(truncatingIfNeeded: octet)
    }
    self = value
  }
}
