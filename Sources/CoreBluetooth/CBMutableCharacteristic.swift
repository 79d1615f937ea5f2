internal import BLECore

/// A characteristic that a peripheral manager can publish. Changes after publishing have no effect on what is published.
///
/// Availability: iOS 6.0, macOS 10.9.
open class CBMutableCharacteristic: CBCharacteristic {
  private struct Local {
    var permissions: CBAttributePermissions
    var subscribedCentrals = KeyedList<ObjectIdentifier, CBCentral>()
  }

  private let local: Locked<Local>

  /// A characteristic to be published, without descriptors.
  ///
  /// Availability: iOS 6.0, macOS 10.9; not on tvOS, watchOS.
  ///
  /// - Parameters:
  ///   - UUID: the type of the characteristic.
  ///   - properties: the permitted uses of the value.
  ///   - value: a fixed value, with which the system responds; the characteristic must then be read-only. `nil` for a value that
  ///     the delegate provides.
  ///   - permissions: what an access requires.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) {
    local = Locked(Local(permissions: permissions))
    super.init(type: UUID, properties: properties, value: value)
  }

  /// The permissions to read and write the value.
  open var permissions: CBAttributePermissions {
    get { local.withLock { $0.permissions } }
    set { local.withLock { $0.permissions = newValue } }
  }

  /// The subscribed centrals.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  open var subscribedCentrals: [CBCentral]? { local.withLock { $0.subscribedCentrals.values } }

  open override var properties: CBCharacteristicProperties {
    get { super.properties }
    set { withState { $0.properties = newValue } }
  }

  open override var value: Data? {
    get { super.value }
    set { withState { $0.value = newValue } }
  }

  open override var descriptors: [CBDescriptor]? {
    get { super.descriptors }
    set {
      withState { $0.descriptors = newValue }
      for descriptor in newValue ?? [] { descriptor.characteristic = self }
    }
  }

  open override var description: String {
    let (permissions, subscribers) = local.withLock { ($0.permissions, $0.subscribedCentrals.values) }
    let descriptors = descriptors?.map(\.description)
    return "<\(nameAndAddress) UUID = \(uuid), Value = \(value?.textWithOctets ?? "(null)"), "
      + "Properties = \(numberText(properties.rawValue, digits: 1)), "
      + "Permissions = \(numberText(permissions.rawValue, digits: 1)), Descriptors = \(linesText(descriptors)), "
      + "SubscribedCentrals = \(linesText(subscribers.map(\.description)))>"
  }

  // Removed values are returned, so that no central is deallocated while the lock is held.

  func add(_ central: CBCentral) {
    local.withLock { $0.subscribedCentrals.add(central, for: ObjectIdentifier(central)) }
  }

  func remove(_ central: CBCentral) {
    _ = local.withLock { $0.subscribedCentrals.remove(ObjectIdentifier(central)) }
  }

  func removeAllCentrals() {
    _ = local.withLock { local in
      defer { local.subscribedCentrals = KeyedList() }
      return local.subscribedCentrals
    }
  }

  var hasSubscribers: Bool { local.withLock { !$0.subscribedCentrals.isEmpty } }
}
