import BLECore
import BLEWire

/// One attribute of a GATT server (Core, Vol 3 Part F 3.2).
public struct Attribute {
  public let handle: AttributeHandle
  /// 16 bits long where the UUID allows, otherwise 128.
  public let type: BLEUUID
  public var permissions: AttributePermissions
  public var content: Content
  /// For a service declaration: the last handle of the service, with or without an attribute. Otherwise the attribute's handle.
  public let groupEnd: AttributeHandle

  /// Where an attribute's value comes from.
  public enum Content {
    /// Stored here. A client with write permission replaces it.
    case value([UInt8])
    /// Requested from the application each time. `tag` is the application's identifier of the attribute.
    case application(any AttributeApplication, tag: UInt32)
    /// Stored for each client: the configuration of the characteristic whose value has handle `of`, limited to what the
    /// characteristic `offers` (Core, Vol 3 Part G 3.3.3.3).
    case clientConfiguration(of: AttributeHandle, offers: ClientConfiguration)
    /// Provided by the server: an attribute of the Generic Attribute service.
    case server(ServerAttribute)
  }

  /// - Parameter groupEnd: for a service; a smaller value than `handle` counts as `handle`.
  public init(
    handle: AttributeHandle, type: BLEUUID, permissions: AttributePermissions, content: Content,
    groupEnd: AttributeHandle? = nil
  ) {
    self.handle = handle
    self.type = type.forAttributeProtocol
    self.permissions = permissions
    self.content = content
    self.groupEnd = max(handle, groupEnd ?? handle)
  }

  /// The value, if it is stored here and the same for all clients.
  var storedValue: [UInt8]? {
    if case .value(let value) = content { return value }
    return nil
  }
}

/// The attributes whose values the server itself provides (Core, Vol 3 Part G 7).
public enum ServerAttribute: Hashable, Sendable {
  case serviceChanged
  case clientSupportedFeatures
  case databaseHash
  case serverSupportedFeatures
}

/// The application that provides values which are not in the database. Everything on the loop.
public protocol AttributeApplication: AnyObject {
  /// Called when a client reads. Answer once, at any time, with `GATTServer.respond` and the value from `request.offset` on.
  /// Permissions have been checked.
  func read(_ request: AttributeReadRequest)
  /// Called for a write, or for all parts of a reliable write to this application, in order: all of them or none take effect. If
  /// `needsResponse`, answer once with `GATTServer.respond`. Permissions have been checked.
  func write(_ request: AttributeWriteRequest)
  /// Called when a client has changed its configuration of a characteristic, or has disconnected. `tag` is the value attribute's.
  func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration)
}

/// A client characteristic configuration: what the client subscribes to.
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let notification = ClientConfiguration(rawValue: 0x0001)
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// The configuration bits that a characteristic with these properties supports (Core, Vol 3 Part G 3.3.1.1).
  public init(properties: UInt8) {
    self = []
    if properties & CharacteristicProperties.notify != 0 { insert(.notification) }
    if properties & CharacteristicProperties.indicate != 0 { insert(.indication) }
  }
}

/// The property bits of a characteristic declaration (Core, Vol 3 Part G 3.3.1.1).
public enum CharacteristicProperties {
  public static let broadcast: UInt8 = 0x01
  public static let read: UInt8 = 0x02
  public static let writeWithoutResponse: UInt8 = 0x04
  public static let write: UInt8 = 0x08
  public static let notify: UInt8 = 0x10
  public static let indicate: UInt8 = 0x20
  public static let authenticatedSignedWrites: UInt8 = 0x40
  public static let extendedProperties: UInt8 = 0x80
}

/// A client's read of a value that the application provides.
public struct AttributeReadRequest {
  /// Unique among all requests of a server.
  public let number: UInt64
  public let client: GATTServerLink
  public let handle: AttributeHandle
  /// The application's identifier of the attribute.
  public let tag: UInt32
  /// Octets of the value that the client already has.
  public let offset: Int
}

/// A client's write to values that the application provides.
public struct AttributeWriteRequest {
  public struct Part {
    public let handle: AttributeHandle
    /// The application's identifier of the attribute.
    public let tag: UInt32
    /// The offset of this part in the value, in octets.
    public let offset: Int
    public let value: ArraySlice<UInt8>
  }

  /// Unique among all requests of a server.
  public let number: UInt64
  public let client: GATTServerLink
  /// False for a write without response: answering has no effect.
  public let needsResponse: Bool
  public let parts: OneOrMore<Part>
}
