/// A Bluetooth UUID: 16, 32 or 128 bits wide on the air, always a 128-bit value (Core, Vol 3 Part B 2.5.1).
///
/// Different widths of one value are equal and have the same hash; `width` is the width with which it was made.
public struct BLEUUID: Sendable, CustomStringConvertible {
  public enum Width: Int, Sendable {
    case short = 2
    case medium = 4
    case full = 16
  }

  public let width: Width
  /// The upper and the lower 64 bits of the 128-bit value.
  public let high: UInt64
  public let low: UInt64

  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  public init(_ short: UInt16) {
    self.init(width: .short, number: UInt32(short))
  }

  /// A UUID of 32 bits. The label is needed because an unlabelled number is a UUID of 16 bits.
  public init(medium: UInt32) {
    self.init(width: .medium, number: medium)
  }

  public init(high: UInt64, low: UInt64) {
    self.width = .full
    self.high = high
    self.low = low
  }

  private init(width: Width, number: UInt32) {
    self.width = width
    self.high = UInt64(number) << 32 | Self.baseHigh
    self.low = Self.baseLow
  }

  /// 2, 4 or 16 octets as on the air, least significant first; `nil` for any other count.
  public init?(octets: some Collection<UInt8>) {
    // Slices of packets are frequent: after this point nothing is generic.
    let stored = octets.withContiguousStorageIfAvailable { Self($0) }
    let uuid = stored ?? Array(octets).withUnsafeBufferPointer { Self($0) }
    guard let uuid else { return nil }
    self = uuid
  }

  private init?(_ octets: UnsafeBufferPointer<UInt8>) {
    func number(_ range: Range<Int>) -> UInt64 {
      range.reversed().reduce(0) { $0 << 8 | UInt64(octets[$1]) }
    }
    switch octets.count {
    case 2: self.init(UInt16(truncatingIfNeeded: number(0..<2)))
    case 4: self.init(medium: UInt32(truncatingIfNeeded: number(0..<4)))
    case 16: self.init(high: number(8..<16), low: number(0..<8))
    default: return nil
    }
  }

  /// Parses 4, 8 or 36 (dashed) hexadecimal characters of either case; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    let characters = text.utf8.count
    var digits = String(text)
    if characters == 36 {
      let parts = digits.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
      digits = parts.joined()
    } else if characters != 4 && characters != 8 {
      return nil
    }
    guard let octets = [UInt8](hexadecimal: digits) else { return nil }
    self.init(octets: octets.reversed())
  }

  /// The 16-bit number of a UUID on the Bluetooth base, whatever its width.
  public var short: UInt16? {
    guard let medium, medium <= 0xFFFF else { return nil }
    return UInt16(medium)
  }

  /// The 32-bit number of a UUID on the Bluetooth base, whatever its width.
  public var medium: UInt32? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt32(high >> 32)
  }

  /// The octets as on the air, least significant first, `width` of them.
  public var octets: [UInt8] {
    var writer = ByteWriter(capacity: width.rawValue)
    writer.append(self)
    return writer.octets
  }

  /// The same value in the shortest form of ATT: 16 bits if it fits, otherwise 128.
  public var forAttributeProtocol: BLEUUID {
    if let short { return BLEUUID(short) }
    return BLEUUID(high: high, low: low)
  }

  /// Upper case, 4 or 8 digits or 8-4-4-4-12, by its width.
  public var description: String {
    switch width {
    case .short: return Self.hexadecimal(high >> 32, digits: 4)
    case .medium: return Self.hexadecimal(high >> 32, digits: 8)
    case .full:
      return [
        Self.hexadecimal(high >> 32, digits: 8), Self.hexadecimal(high >> 16, digits: 4),
        Self.hexadecimal(high, digits: 4), Self.hexadecimal(low >> 48, digits: 4),
        Self.hexadecimal(low, digits: 12),
      ].joined(separator: "-")
    }
  }

  private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let kept = digits == 16 ? value : value & ((1 << (4 * UInt64(digits))) - 1)
    let text = String(kept, radix: 16, uppercase: true)
    return String(repeating: "0", count: digits - text.count) + text
  }
}

extension BLEUUID: Hashable {
  public static func == (left: BLEUUID, right: BLEUUID) -> Bool {
    left.high == right.high && left.low == right.low
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension ByteReader {
  /// Reads a UUID of `count` octets: 2, 4 or 16.
  public mutating func uuid(octets count: Int, _ field: StaticString) throws(DecodeError) -> BLEUUID {
    let start = self
    guard let uuid = BLEUUID(octets: try octets(count, field)) else {
      throw start.failure(field, .invalid("a UUID has 2, 4 or 16 octets, not \(count)"))
    }
    return uuid
  }
}

extension ByteWriter {
  /// Appends `uuid.width` octets.
  public mutating func append(_ uuid: BLEUUID) {
    switch uuid.width {
    case .short: append(uuid.high >> 32, width: 2)
    case .medium: append(uuid.high >> 32, width: 4)
    case .full:
      append(uuid.low)
      append(uuid.high)
    }
  }
}
