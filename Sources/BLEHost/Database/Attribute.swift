import BLECore
import BLEWire

/// One attribute of a GATT server (Core, Vol 3 Part F 3.2).
public struct Attribute {
  public let handle: AttributeHandle
  /// 16 bits wide where the UUID allows, otherwise 128.
  public let type: BLEUUID
  public var permissions: AttributePermissions
  public var content: Content
  /// Where the attribute opens a service: the last handle of the service, attribute there or not. Otherwise its own handle.
  public let groupEnd: AttributeHandle

  /// Where an attribute's value is.
  public enum Content {
    /// Here. A client that may write replaces it.
    case value([UInt8])
    /// With a program, which is asked each time. `tag` is its own name for the attribute.
    case application(any AttributeApplication, tag: UInt32)
    /// With each client: what it wants of the characteristic whose value has this handle, of what that offers
    /// (Core, Vol 3 Part G 3.3.3.3).
    case clientConfiguration(of: AttributeHandle, offers: ClientConfiguration)
    /// With the server: one of the attributes that the Generic Attribute service is made of.
    case server(ServerAttribute)
  }

  /// - Parameter groupEnd: for a service; anything below `handle` counts as `handle`.
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

  /// A value that is not a program's and is the same for all clients.
  var storedValue: [UInt8]? {
    if case .value(let value) = content { return value }
    return nil
  }
}

/// The attributes that a server looks after by itself (Core, Vol 3 Part G 7).
public enum ServerAttribute: Hashable, Sendable {
  case serviceChanged
  case clientSupportedFeatures
  case databaseHash
  case serverSupportedFeatures
}

/// The program behind attributes whose values are not in the database. Everything on the loop.
public protocol AttributeApplication: AnyObject {
  /// To be answered once with `GATTServer.respond`, at any time: the value from `request.offset` on. Permissions have been
  /// checked.
  func read(_ request: AttributeReadRequest)
  /// One write, or all the parts of a reliable write that are this program's, in their order: all or nothing. Where
  /// `needsResponse`, to be answered once with `GATTServer.respond`. Permissions have been checked.
  func write(_ request: AttributeWriteRequest)
  /// A client has changed what it wants of a characteristic, or is gone. `tag` is the characteristic value's.
  func subscriptionDidChange(of tag: UInt32, by client: GATTServerLink, to configuration: ClientConfiguration)
}

/// What a client wants to be told of a characteristic.
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let notification = ClientConfiguration(rawValue: 0x0001)
  public static let indication = ClientConfiguration(rawValue: 0x0002)

  /// What a characteristic with these property bits offers (Core, Vol 3 Part G 3.3.1.1).
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

/// A client reads a value that a program has.
public struct AttributeReadRequest {
  /// Unique among all requests of a server.
  public let number: UInt64
  public let client: GATTServerLink
  public let handle: AttributeHandle
  /// The program's name for the attribute.
  public let tag: UInt32
  /// Octets of the value that the client has already.
  public let offset: Int
}

/// A client writes values that a program has.
public struct AttributeWriteRequest {
  public struct Part {
    public let handle: AttributeHandle
    /// The program's name for the attribute.
    public let tag: UInt32
    /// Where in the value this part goes, in octets.
    public let offset: Int
    public let value: ArraySlice<UInt8>
  }

  /// Unique among all requests of a server.
  public let number: UInt64
  public let client: GATTServerLink
  /// False for a write without response: an answer does nothing.
  public let needsResponse: Bool
  /// One or more.
  public let parts: [Part]
}
