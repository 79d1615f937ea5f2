import CoreBluetooth

/// A service that a program publishes, as a value.
public struct ServiceDeclaration: Sendable {
  /// Its UUID.
  public var uuid: CBUUID
  /// Its characteristics, in their order.
  public var characteristics: [CharacteristicDeclaration]

  /// A primary service.
  public init(_ uuid: CBUUID, _ characteristics: [CharacteristicDeclaration]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

/// What a central asks of a characteristic, and who asks.
public struct AttributeAccess: Sendable, Hashable {
  /// What this host calls the central.
  public var central: UUID
  /// Where in the value it begins, in octets.
  public var offset: Int
}

/// A characteristic of a published service, as a value.
///
/// Its properties follow from what it can do, so that they never promise what its permissions deny.
public struct CharacteristicDeclaration: Sendable {
  /// Answers a read with the whole value, or refuses it. Called on the session's queue; it has to be quick.
  public typealias Reader = @Sendable (AttributeAccess) -> ReadAnswer
  /// Takes a written value, or refuses it. Called on the session's queue; it has to be quick.
  public typealias Writer = @Sendable (AttributeAccess, Data) -> CBATTError.Code

  /// Its UUID.
  public var uuid: CBUUID
  /// A value that never changes; then there is nothing else.
  public var fixedValue: Data?
  /// Answers reads; `nil`: it cannot be read.
  public var read: Reader?
  /// Takes writes; `nil`: it cannot be written.
  public var write: Writer?
  /// Whether writes without response are taken as well.
  public var takesCommands: Bool
  /// Whether values are pushed, and whether each push is acknowledged.
  public var push: Push?
  /// Whether only an encrypted link may read, write and subscribe.
  public var requiresEncryption: Bool
  /// What people read (descriptor 2901).
  public var userDescription: String?

  /// What becomes of a read.
  public enum ReadAnswer: Sendable {
    /// The whole value, whatever the offset.
    case value(Data)
    /// The central gets this error.
    case refused(CBATTError.Code)
  }

  /// How values are pushed.
  public enum Push: Sendable, Hashable {
    /// Notifications: nobody says that they came.
    case notify
    /// Indications: each is confirmed.
    case indicate
  }

  /// A value that never changes.
  public static func fixed(_ uuid: CBUUID, _ value: Data, userDescription: String? = nil) -> CharacteristicDeclaration {
    CharacteristicDeclaration(uuid: uuid, fixedValue: value, userDescription: userDescription)
  }

  /// A value that handlers answer for.
  public static func dynamic(
    _ uuid: CBUUID, read: Reader? = nil, write: Writer? = nil, takesCommands: Bool = false, push: Push? = nil,
    requiresEncryption: Bool = false, userDescription: String? = nil
  ) -> CharacteristicDeclaration {
    CharacteristicDeclaration(
      uuid: uuid, read: read, write: write, takesCommands: takesCommands, push: push,
      requiresEncryption: requiresEncryption, userDescription: userDescription)
  }

  private init(
    uuid: CBUUID, fixedValue: Data? = nil, read: Reader? = nil, write: Writer? = nil, takesCommands: Bool = false,
    push: Push? = nil, requiresEncryption: Bool = false, userDescription: String? = nil
  ) {
    self.uuid = uuid
    self.fixedValue = fixedValue
    self.read = read
    self.write = write
    self.takesCommands = takesCommands
    self.push = push
    self.requiresEncryption = requiresEncryption
    self.userDescription = userDescription
  }

  func makeCharacteristic() -> CBMutableCharacteristic {
    var properties: CBCharacteristicProperties = []
    var permissions: CBAttributePermissions = []
    if fixedValue != nil || read != nil {
      properties.insert(.read)
      permissions.insert(requiresEncryption && fixedValue == nil ? .readEncryptionRequired : .readable)
    }
    if write != nil {
      properties.insert(.write)
      if takesCommands { properties.insert(.writeWithoutResponse) }
      permissions.insert(requiresEncryption ? .writeEncryptionRequired : .writeable)
    }
    switch push {
    case .notify?: properties.insert(requiresEncryption ? .notifyEncryptionRequired : .notify)
    case .indicate?: properties.insert(requiresEncryption ? .indicateEncryptionRequired : .indicate)
    case nil: break
    }
    // A characteristic that can only be subscribed to has a value all the same; nobody may read it.
    if permissions.isEmpty { permissions.insert(requiresEncryption ? .readEncryptionRequired : .readable) }
    let made = CBMutableCharacteristic(type: uuid, properties: properties, value: fixedValue, permissions: permissions)
    if let userDescription {
      made.descriptors = [
        CBMutableDescriptor(
          type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: userDescription)
      ]
    }
    return made
  }
}

/// What is advertised, with its size worked out beforehand.
public struct AdvertisingPlan: Sendable, Hashable {
  /// The name that is advertised.
  public var localName: String?
  /// The services that are advertised, the most important first.
  public var services: [CBUUID]

  /// A name, services, both or nothing.
  public init(localName: String? = nil, services: [CBUUID] = []) {
    self.localName = localName
    self.services = services
  }

  /// Octets for name and services together in one advertisement of an application in the foreground.
  public static let space = 28
  /// Octets more for the name, in the answer to a scan.
  public static let scanResponseSpace = 10

  /// Octets that the services take, each list with its head of 2.
  public var serviceOctets: Int {
    let widths = services.map { $0.data.count }
    return [2, 4, 16].reduce(0) { total, width in
      let count = widths.count { $0 == width }
      return total + (count == 0 ? 0 : 2 + count * width)
    }
  }

  /// What will not arrive as it is meant, in sentences; empty where everything fits.
  public var problems: [String] {
    var problems: [String] = []
    if serviceOctets > Self.space {
      problems.append(
        "the services take \(serviceOctets) octets and \(Self.space) are there: the last ones are seen only by Apple's devices that look for them"
      )
    }
    if let localName {
      let needed = 2 + localName.utf8.count
      let room = max(Self.space - serviceOctets, Self.scanResponseSpace)
      if needed > room {
        problems.append(
          "the name takes \(needed) octets and \(room) are left: it arrives shortened; take a shorter one or fewer services"
        )
      }
    }
    return problems
  }

  var dictionary: [String: Any] {
    var dictionary: [String: Any] = [:]
    dictionary[CBAdvertisementDataLocalNameKey] = localName
    if !services.isEmpty { dictionary[CBAdvertisementDataServiceUUIDsKey] = services }
    return dictionary
  }
}
