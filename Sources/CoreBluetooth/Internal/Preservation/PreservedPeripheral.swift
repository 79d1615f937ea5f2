internal import BLEAdapter
internal import BLECore

/// The state that a peripheral manager leaves for the next process: JSON in the file.
struct PreservedPeripheral: Codable, Equatable {
  struct Service: Codable, Equatable {
    let uuid: String
    let isPrimary: Bool
    /// The indices of the preceding services that it includes.
    let included: [Int]
    let characteristics: [Characteristic]
    /// Its first handle.
    let handle: UInt16?
  }

  struct Characteristic: Codable, Equatable {
    let uuid: String
    let properties: UInt
    let permissions: UInt
    let value: Data?
    let descriptors: [Descriptor]
    var subscribers: [Subscriber]
  }

  struct Descriptor: Codable, Equatable {
    let uuid: String
    let value: Data
  }

  struct Subscriber: Codable, Equatable {
    let identifier: UUID
    let maximumUpdateValueLength: Int
  }

  struct Advertisement: Codable, Equatable {
    let localName: String?
    let services: [String]
  }

  var services: [Service] = []
  var advertisement: Advertisement?

  var isEmpty: Bool { services.isEmpty && advertisement == nil }
}

extension PreservedPeripheral.Advertisement {
  init(_ content: LocalAdvertisement) {
    localName = content.localName
    services = content.serviceUUIDs.map(\.description)
  }

  var content: LocalAdvertisement {
    LocalAdvertisement(localName: localName, serviceUUIDs: services.compactMap { BLEUUID($0) })
  }

  /// As the program passed it.
  var dictionary: [String: Any] {
    let content = content
    var dictionary: [String: Any] = [:]
    if let localName { dictionary[CBAdvertisementDataLocalNameKey] = localName }
    if !content.serviceUUIDs.isEmpty {
      dictionary[CBAdvertisementDataServiceUUIDsKey] = content.serviceUUIDs.map { CBUUID($0) }
    }
    return dictionary
  }
}

extension PreservedPeripheral.Subscriber {
  init(_ central: RemoteCentral) {
    identifier = UUID(high: central.identifier.high, low: central.identifier.low)
    maximumUpdateValueLength = central.maximumUpdateValueLength
  }

  var central: RemoteCentral {
    RemoteCentral(
      identifier: PeerIdentifier(PeerNumber(identifier)), maximumUpdateValueLength: maximumUpdateValueLength)
  }
}

extension PreservedPeripheral.Characteristic {
  /// The current state, without subscribers.
  init(_ characteristic: CBMutableCharacteristic) {
    uuid = characteristic.uuid.value.description
    properties = characteristic.properties.rawValue
    permissions = characteristic.permissions.rawValue
    value = characteristic.value
    descriptors = (characteristic.descriptors ?? []).compactMap { $0 as? CBMutableDescriptor }.map { descriptor in
      .init(uuid: descriptor.uuid.value.description, value: Data(descriptor.octets))
    }
    subscribers = []
  }

  /// `nil` if a program could not have published it.
  func makeObject() -> CBMutableCharacteristic? {
    guard let type = BLEUUID(uuid) else { return nil }
    let object = CBMutableCharacteristic(
      type: CBUUID(type), properties: CBCharacteristicProperties(rawValue: properties), value: value,
      permissions: CBAttributePermissions(rawValue: permissions))
    if object.isFixedAndWriteable || !object.isConsistent { return nil }
    let made = descriptors.compactMap { $0.makeObject() }
    if made.count != descriptors.count { return nil }
    if !made.isEmpty { object.descriptors = made }
    return object
  }
}

extension PreservedPeripheral.Descriptor {
  func makeObject() -> CBMutableDescriptor? {
    guard let type = BLEUUID(uuid) else { return nil }
    switch type.short {
    case DescriptorType.userDescription:
      return CBMutableDescriptor(type: CBUUID(type), value: String(decoding: value, as: UTF8.self))
    case DescriptorType.presentationFormat: return CBMutableDescriptor(type: CBUUID(type), value: value)
    default: return nil
    }
  }
}
