import CoreBluetooth

/// A published service, as a value.
public struct ServiceDeclaration: Sendable {
  /// The UUID of the service.
  public var uuid: CBUUID
  /// Whether it is a primary service.
  public var isPrimary: Bool
  /// The characteristics, in their order.
  public var characteristics: [CharacteristicDeclaration]

  /// Creates a primary or a secondary service.
  public init(_ uuid: CBUUID, isPrimary: Bool = true, _ characteristics: [CharacteristicDeclaration]) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.characteristics = characteristics
  }
}

/// A read or write of a characteristic by a central.
public struct AttributeAccess: Sendable, Hashable {
  /// The identifier that this host assigned to the central.
  public var central: UUID
  /// The offset in the value, in octets.
  public var offset: Int
}

/// A characteristic of a published service, as a value.
///
/// Its properties are derived from its handlers, so that they always agree with its permissions.
public struct CharacteristicDeclaration: Sendable {
  /// Returns the whole value for a read, or refuses it. Called on the session's queue; it must return quickly.
  public typealias Reader = @Sendable (AttributeAccess) -> ReadAnswer
  /// Accepts a written value, or refuses it. Called on the session's queue; it must return quickly.
  public typealias Writer = @Sendable (AttributeAccess, Data) -> CBATTError.Code

  /// The UUID of the characteristic.
  public var uuid: CBUUID
  /// A value that never changes; the characteristic has no handlers then.
  public var fixedValue: Data?
  /// The handler of reads; `nil`: the characteristic cannot be read.
  public var read: Reader?
  /// The handler of writes; `nil`: the characteristic cannot be written.
  public var write: Writer?
  /// Whether writes without response are accepted, too.
  public var takesCommands = false
  /// Whether values are notified or indicated; `nil` for neither.
  public var push: Push?
  /// Whether reading, writing and subscribing require an encrypted link.
  public var requiresEncryption = false
  /// The Characteristic User Description (2901).
  public var userDescription: String?
  /// Creates the published characteristic where handlers do not express its properties, permissions and descriptors.
  package var make: (@Sendable () -> CBMutableCharacteristic)?

  /// The answer to a read.
  public enum ReadAnswer: Sendable {
    /// The whole value, regardless of the offset.
    case value(Data)
    /// An ATT error.
    case refused(CBATTError.Code)
  }

  /// How values are pushed.
  public enum Push: Sendable, Hashable {
    /// Notifications, which are not acknowledged.
    case notify
    /// Indications, each of which is confirmed.
    case indicate
  }

  /// Returns a characteristic whose value never changes.
  public static func fixed(_ uuid: CBUUID, _ value: Data, userDescription: String? = nil) -> CharacteristicDeclaration {
    CharacteristicDeclaration(uuid: uuid, fixedValue: value, userDescription: userDescription)
  }

  /// Returns a characteristic with handlers.
  public static func dynamic(
    _ uuid: CBUUID, read: Reader? = nil, write: Writer? = nil, takesCommands: Bool = false, push: Push? = nil,
    requiresEncryption: Bool = false, userDescription: String? = nil
  ) -> CharacteristicDeclaration {
    CharacteristicDeclaration(
      uuid: uuid, read: read, write: write, takesCommands: takesCommands, push: push,
      requiresEncryption: requiresEncryption, userDescription: userDescription)
  }

  func makeCharacteristic() -> CBMutableCharacteristic {
    if let make { return make() }
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
    // A characteristic that can only be subscribed to needs a permission, too; reading is not among its properties.
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

/// The advertised data, with a check of its size.
public struct AdvertisingPlan: Sendable, Hashable {
  /// The advertised name.
  public var localName: String?
  /// The advertised services, the most important first.
  public var services: [CBUUID]

  /// Creates a plan with a name, services, both or neither.
  public init(localName: String? = nil, services: [CBUUID] = []) {
    self.localName = localName
    self.services = services
  }

  /// Octets for name and services together in the advertising data of an application in the foreground.
  public static let space = 28
  /// Additional octets for the name in the scan response.
  public static let scanResponseSpace = 10

  /// The octets that the service lists occupy, each with a header of 2.
  public var serviceOctets: Int {
    let widths = services.map { $0.data.count }
    return [2, 4, 16].reduce(0) { total, width in
      let count = widths.count { $0 == width }
      return total + (count == 0 ? 0 : 2 + count * width)
    }
  }

  /// What will not fit, in sentences; empty if everything fits.
  public var problems: [String] {
    var problems: [String] = []
    if serviceOctets > Self.space {
      problems.append(
        "the services take \(serviceOctets) octets of \(Self.space): the last ones are visible only to Apple devices that scan for them"
      )
    }
    if let localName {
      let needed = 2 + localName.utf8.count
      let room = max(Self.space - serviceOctets, Self.scanResponseSpace)
      if needed > room {
        problems.append(
          "the name takes \(needed) octets and \(room) are left: it will be shortened; use a shorter name or fewer services"
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
