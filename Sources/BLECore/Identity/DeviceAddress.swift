/// A 48-bit Bluetooth device address with its type (Core, Vol 6 Part B 1.3).
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case `public` = 0
    case random = 1
  }

  /// The address as a number: the most significant of the 48 bits is the first printed.
  public let value: UInt64
  public let kind: Kind

  /// Only the lower 48 bits of `value` are used.
  public init(_ value: UInt64, kind: Kind) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Six octets as on the air, least significant first.
  public init(octets: some Collection<UInt8>, kind: Kind) {
    var value: UInt64 = 0
    for (index, octet) in octets.prefix(6).enumerated() {
      value |= UInt64(octet) << (8 * UInt64(index))
    }
    self.init(value, kind: kind)
  }

  /// Parses `"C0:12:34:56:78:9A"`, in either case; `nil` for any other text.
  public init?(_ text: some StringProtocol, kind: Kind) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var value: UInt64 = 0
    for part in parts {
      guard part.utf8.count == 2, let octets = [UInt8](hexadecimal: part) else { return nil }
      value = value << 8 | UInt64(octets[0])
    }
    self.init(value, kind: kind)
  }

  /// The six octets as on the air, least significant first.
  public var octets: [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  public enum RandomKind: Hashable, Sendable {
    case `static`, resolvablePrivate, nonResolvablePrivate, reserved
  }

  /// The kind of a random address, by its two most significant bits; `nil` for a public one.
  public var randomKind: RandomKind? {
    guard kind == .random else { return nil }
    switch value >> 46 {
    case 0b11: return .static
    case 0b01: return .resolvablePrivate
    case 0b00: return .nonResolvablePrivate
    default: return .reserved
    }
  }

  /// Whether the address identifies a device permanently: public and random static addresses do, private ones change.
  public var isIdentity: Bool { kind == .public || randomKind == .static }

  public var description: String {
    var text = ""
    for index in stride(from: 40, through: 0, by: -8) {
      let octet = UInt8(truncatingIfNeeded: value >> UInt64(index))
      text += CollectionOfOne(octet).hexadecimal.uppercased()
      if index > 0 { text += ":" }
    }
    return text
  }
}

extension ByteReader {
  /// Reads an address of six octets; its type is in another field.
  public mutating func deviceAddress(
    kind: DeviceAddress.Kind, _ field: StaticString
  ) throws(DecodeError) -> DeviceAddress {
    DeviceAddress(try unsigned(width: 6, field), kind: kind)
  }
}

extension ByteWriter {
  public mutating func append(_ address: DeviceAddress) { append(address.value, width: 6) }
}
