import BLECore

/// What kind of address a controller speaks of (Core, Vol 4 Part E 7.7.65.2, 7.7.65.13).
public struct HCIAddressType: WireNumber, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let `public` = Self(rawValue: 0x00)
  public static let random = Self(rawValue: 0x01)
  /// The public identity of a resolvable private address that the controller resolved.
  public static let publicIdentity = Self(rawValue: 0x02)
  /// The random static identity of a resolvable private address that the controller resolved.
  public static let randomIdentity = Self(rawValue: 0x03)
  /// In a direct address: a resolvable private address that the controller could not resolve.
  public static let unresolved = Self(rawValue: 0xFE)
  /// The advertiser told no address.
  public static let anonymous = Self(rawValue: 0xFF)

  /// The kind of the six octets that go with this type.
  public var kind: DeviceAddress.Kind {
    switch self {
    case .public, .publicIdentity: .public
    default: .random
    }
  }
}

/// An address as it stands between host and controller: the type and the six octets.
public struct HCIAddress: Hashable, Sendable, CustomStringConvertible {
  public let type: HCIAddressType
  public let address: DeviceAddress

  public init(type: HCIAddressType, value: UInt64) {
    self.type = type
    self.address = DeviceAddress(value, kind: type.kind)
  }

  /// A public or random address, as it is on the air.
  public init(_ address: DeviceAddress) {
    self.type = address.kind == .public ? .public : .random
    self.address = address
  }

  /// The type and the octets 0: no address.
  public static let none = HCIAddress(type: .public, value: 0)

  /// The controller resolved a private address; `address` is the identity.
  public var isResolved: Bool { type == .publicIdentity || type == .randomIdentity }

  public var description: String {
    switch type {
    case .anonymous: "anonymous"
    case .public: "\(address) (public)"
    case .random, .unresolved: "\(address) (random)"
    default: "\(address) (identity)"
    }
  }
}

/// One octet of type, six octets of address.
extension HCIAddress: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    let type: HCIAddressType = try reader.value(field)
    self.init(type: type, value: try reader.unsigned(width: 6, field))
  }

  func encode(into writer: inout ByteWriter) {
    writer.append(type)
    writer.append(address)
  }

  static var example: Self { HCIAddress(type: .random, value: 0xC012_3456_789A) }
}
