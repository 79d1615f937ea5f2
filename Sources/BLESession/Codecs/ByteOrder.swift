import Foundation

/// The order of the octets of an integer.
public enum ByteOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// Least significant octet first, as in Bluetooth.
  case littleEndian = "little"
  /// Most significant octet first, as in many vendors' protocols.
  case bigEndian = "big"
}

extension FixedWidthInteger {
  /// Returns the integer as `width` octets. A value that does not fit is truncated.
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

  /// Creates an integer from octets; `nil` if there are none or more than the type holds. A signed type takes the sign from the most
  /// significant bit of the octets, whatever their number.
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
