import BLEAdapter
import BLECore
import BLEWire

/// A service that was placed in a database.
public struct PublishedService: Hashable, Sendable {
  public let uuid: BLEUUID
  public let handles: ClosedRange<AttributeHandle>
  /// The handle of each characteristic's value.
  public let values: [LocalCharacteristicIdentifier: AttributeHandle]
}

extension AttributeDatabase {
  /// Adds a service at consecutive handles: at `service.place` if that is free, else at the first suitable handles.
  ///
  /// - Parameters:
  ///   - included: services that are already in the database.
  ///   - application: provides the values that the service does not; each attribute's tag is its characteristic's identifier.
  /// - Returns: `nil` if not enough consecutive handles are free.
  public func publish(
    _ service: LocalService, including included: [PublishedService] = [], application: any AttributeApplication
  ) -> PublishedService? {
    var count = 1 + included.count
    for characteristic in service.characteristics { count += characteristic.attributeCount }
    guard let handles = service.place.flatMap({ free(count, at: $0) }) ?? freeHandles(count) else { return nil }
    var builder = ServiceBuilder(next: handles.lowerBound)
    builder.addDeclaration(service.uuid, isPrimary: service.isPrimary, end: handles.upperBound)
    for service in included { builder.addInclude(service.uuid, service.handles) }
    var values: [LocalCharacteristicIdentifier: AttributeHandle] = [:]
    for characteristic in service.characteristics {
      values[characteristic.identifier] = builder.add(characteristic, application: application)
    }
    guard place(builder.attributes) else { return nil }
    return PublishedService(uuid: service.uuid, handles: handles, values: values)
  }
}

extension LocalCharacteristic {
  fileprivate var offersConfiguration: Bool { !ClientConfiguration(properties: properties).isEmpty }
  fileprivate var needsExtendedProperties: Bool {
    properties & CharacteristicProperties.extendedProperties != 0
      && !descriptors.contains { $0.uuid == GATTType.characteristicExtendedProperties }
  }
  fileprivate var attributeCount: Int {
    2 + (offersConfiguration ? 1 : 0) + (needsExtendedProperties ? 1 : 0) + descriptors.count
  }

  /// The permissions, limited to the operations that the properties allow.
  fileprivate var effectivePermissions: AttributePermissions {
    var forms: AttributePermissions.WriteForms = []
    if properties & CharacteristicProperties.write != 0 { forms.insert(.request) }
    if properties & CharacteristicProperties.writeWithoutResponse != 0 { forms.insert(.command) }
    if properties & CharacteristicProperties.authenticatedSignedWrites != 0 { forms.insert(.signed) }
    let isReadable = properties & CharacteristicProperties.read != 0
    return AttributePermissions(
      read: isReadable ? permissions.read.map { AccessRequirement(demand: $0) } : nil,
      write: permissions.write.map { AccessRequirement(demand: $0) }, writeForms: forms)
  }
}

/// Builds the attributes of one service, at consecutive handles.
struct ServiceBuilder {
  private(set) var attributes: [Attribute] = []
  private var next: UInt16

  init(next: AttributeHandle) { self.next = next.rawValue }

  @discardableResult
  mutating func add(
    _ type: BLEUUID, _ permissions: AttributePermissions, _ content: Attribute.Content,
    end: AttributeHandle? = nil
  ) -> AttributeHandle {
    let handle = AttributeHandle(next)
    next &+= 1
    attributes.append(
      Attribute(handle: handle, type: type, permissions: permissions, content: content, groupEnd: end))
    return handle
  }

  mutating func addDeclaration(_ uuid: BLEUUID, isPrimary: Bool, end: AttributeHandle) {
    add(
      isPrimary ? GATTType.primaryService : GATTType.secondaryService, .readable,
      .value(uuid.forAttributeProtocol.octets), end: end)
  }

  mutating func addInclude(_ uuid: BLEUUID, _ handles: ClosedRange<AttributeHandle>) {
    var value = ByteWriter()
    value.append(handles.lowerBound)
    value.append(handles.upperBound)
    // Only a 16-bit UUID is part of the declaration (Core, Vol 3 Part G 3.2).
    if let short = uuid.short { value.append(short) }
    add(GATTType.include, .readable, .value(value.octets))
  }

  /// Adds a characteristic declaration and the value after it, and returns the value's handle.
  @discardableResult
  mutating func addCharacteristic(
    _ uuid: BLEUUID, properties: UInt8, _ permissions: AttributePermissions, _ content: Attribute.Content
  ) -> AttributeHandle {
    let uuid = uuid.forAttributeProtocol
    var declaration = ByteWriter()
    declaration.append(properties)
    declaration.append(next &+ 1)
    declaration.append(uuid)
    add(GATTType.characteristic, .readable, .value(declaration.octets))
    return add(uuid, permissions, content)
  }

  mutating func addClientConfiguration(
    of value: AttributeHandle, properties: UInt8, _ requirement: AccessRequirement = .open
  ) {
    add(
      GATTType.clientCharacteristicConfiguration,
      AttributePermissions(read: .open, write: requirement, writeForms: .request),
      .clientConfiguration(of: value, offers: ClientConfiguration(properties: properties)))
  }

  mutating func add(_ characteristic: LocalCharacteristic, application: any AttributeApplication) -> AttributeHandle {
    let content: Attribute.Content =
      characteristic.value.map { .value($0) }
      ?? .application(application, tag: characteristic.identifier.rawValue)
    let handle = addCharacteristic(
      characteristic.uuid, properties: characteristic.properties, characteristic.effectivePermissions, content)
    if characteristic.offersConfiguration {
      addClientConfiguration(
        of: handle, properties: characteristic.properties, AccessRequirement(demand: characteristic.subscription))
    }
    if characteristic.needsExtendedProperties {
      add(GATTType.characteristicExtendedProperties, .readable, .value([0, 0]))
    }
    for descriptor in characteristic.descriptors { add(descriptor.uuid, .readable, .value(descriptor.value)) }
    return handle
  }
}
