import BLECore
import BLEHost

/// A database of a vector file: its attributes at exactly the handles that the file gives.
struct VectorDatabase {
  typealias NotUnderstood = AttributeVectors.NotUnderstood

  let attributes: [Attribute]
  /// What descriptors of the client configuration hold at the beginning, by the value they belong to.
  private let configurations: [AttributeHandle: ClientConfiguration]
  let services: [Service]

  struct Service: Equatable {
    var start: AttributeHandle
    var end: AttributeHandle
    var uuid: BLEUUID
    var isPrimary: Bool
    var includes: [Include] = []
    var characteristics: [Characteristic] = []
  }

  struct Include: Equatable {
    var handle: AttributeHandle
    var start: AttributeHandle
    var end: AttributeHandle
  }

  struct Characteristic: Equatable {
    var handle: AttributeHandle
    var valueHandle: AttributeHandle
    var uuid: BLEUUID
    var properties: UInt8
    var descriptors: [Descriptor] = []
  }

  struct Descriptor: Equatable {
    var handle: AttributeHandle
    var uuid: BLEUUID
  }

  init(_ json: JSONValue) throws {
    services = try json.entries("services").map(Self.service)
    var attributes: [Attribute] = []
    var configurations: [AttributeHandle: ClientConfiguration] = [:]
    for entry in try json.entries("attributes") {
      let handle = try entry.handle("handle")
      let type = try entry.uuid("type")
      let value = try entry.octets("value")
      var content = Attribute.Content.value(value)
      if type == GATTType.clientCharacteristicConfiguration,
        let owner = services.lazy.flatMap(\.characteristics).first(where: { characteristic in
          characteristic.descriptors.contains { $0.handle == handle }
        })
      {
        let offered = ClientConfiguration(properties: owner.properties)
        content = .clientConfiguration(
          of: owner.valueHandle, offers: offered.isEmpty ? [.notification, .indication] : offered)
        if value.count == 2, value != [0, 0] {
          configurations[owner.valueHandle] = ClientConfiguration(
            rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
        }
      }
      attributes.append(
        Attribute(
          handle: handle, type: type, permissions: try Self.permissions(entry), content: content,
          groupEnd: services.first { $0.start == handle }?.end))
    }
    self.attributes = attributes
    self.configurations = configurations
  }

  /// A server that holds a fresh copy.
  func makeServer() throws -> GATTServer {
    let server = GATTServer()
    guard server.database.place(attributes) else { throw NotUnderstood("handles out of order or 0x0000") }
    return server
  }

  func serve(_ server: GATTServer, on bearer: ATTBearer) -> GATTServerLink {
    server.makeLink(
      on: bearer,
      state: GATTClientState(configurations: configurations, knownHash: server.database.databaseHash))
  }

  /// The descriptor that holds the client configuration of a value.
  func configuration(of value: AttributeHandle) -> AttributeHandle? {
    services.lazy.flatMap(\.characteristics).first { $0.valueHandle == value }?.descriptors
      .first { $0.uuid == GATTType.clientCharacteristicConfiguration }?.handle
  }

  private static func permissions(_ entry: JSONValue) throws -> AttributePermissions {
    var permissions = AttributePermissions()
    for name in try entry.entries("permissions") {
      guard let name = name.string else { throw NotUnderstood("permissions") }
      let parts = name.split(separator: "_", maxSplits: 1)
      let security: AccessRequirement.Security
      switch parts.count == 2 ? parts[1] : "" {
      case "": security = .none
      case "encrypt": security = .encryption
      case "authen": security = .authentication
      case "secure": security = .secureConnections
      default: throw NotUnderstood("permission \(name)")
      }
      // Of several demands on one access the strictest holds.
      switch parts.first {
      case "read": permissions.read = AccessRequirement(max(security, permissions.read?.security ?? .none))
      case "write": permissions.write = AccessRequirement(max(security, permissions.write?.security ?? .none))
      default: throw NotUnderstood("permission \(name)")
      }
    }
    return permissions
  }

  private static func service(_ json: JSONValue) throws -> Service {
    guard let isPrimary = json["primary"]?.boolean else { throw NotUnderstood("primary") }
    return Service(
      start: try json.handle("handle"), end: try json.handle("end_handle"), uuid: try json.uuid("uuid"),
      isPrimary: isPrimary,
      includes: try json.entries("includes").map {
        Include(handle: try $0.handle("handle"), start: try $0.handle("start"), end: try $0.handle("end"))
      },
      characteristics: try json.entries("characteristics").map {
        guard let properties = $0["property_bits"]?.hexadecimalNumber.flatMap(UInt8.init(exactly:)) else {
          throw NotUnderstood("property_bits")
        }
        return Characteristic(
          handle: try $0.handle("declaration_handle"), valueHandle: try $0.handle("value_handle"),
          uuid: try $0.uuid("uuid"), properties: properties,
          descriptors: try $0.entries("descriptors").map {
            Descriptor(handle: try $0.handle("handle"), uuid: try $0.uuid("uuid"))
          })
      })
  }
}
