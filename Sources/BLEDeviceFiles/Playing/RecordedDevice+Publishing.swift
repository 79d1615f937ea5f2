import BLESession
import CoreBluetooth

/// The services of a recording as Core Bluetooth publishes them.
extension RecordedDevice {
  struct PublishedService {
    let uuid: CBUUID
    let isPrimary: Bool
    var characteristics: [PublishedCharacteristic] = []
  }

  struct PublishedCharacteristic {
    let path: CharacteristicPath
    let valueHandle: UInt16
    let properties: UInt8
    let needsEncryption: Bool
    var userDescription: Data?
  }

  /// Generic Access and Generic Attribute are the system's own.
  private static let ownServices = [CBUUID(string: "1800"), CBUUID(string: "1801")]

  /// The services that were discovered, without those that the system has itself.
  var publishedServices: [PublishedService] {
    var services: [PublishedService] = []
    var instances: [CharacteristicPath: Int] = [:]
    var isOwn = true
    for attribute in attributes {
      switch attribute.kind {
      case .service(let uuid, _, let isPrimary):
        isOwn = Self.ownServices.contains(uuid)
        if !isOwn { services.append(PublishedService(uuid: uuid, isPrimary: isPrimary)) }
      case .characteristic(let uuid, let valueHandle, let properties) where !isOwn && !services.isEmpty:
        let last = services.count - 1
        var path = CharacteristicPath(uuid, in: services[last].uuid)
        // Characteristics of the same UUIDs are counted, as the session does.
        path.instance = instances[CharacteristicPath(uuid, in: services[last].uuid), default: 0]
        instances[CharacteristicPath(uuid, in: services[last].uuid), default: 0] += 1
        let value = self.attribute(valueHandle)
        services[last].characteristics.append(
          PublishedCharacteristic(
            path: path, valueHandle: valueHandle, properties: properties,
            needsEncryption: value?.readRefusal?.endsWithEncryption == true
              || value?.writeRefusal?.endsWithEncryption == true))
      case .value(let type) where type == CBUUID(string: CBUUIDCharacteristicUserDescriptionString):
        guard !isOwn, let last = services.indices.last, !services[last].characteristics.isEmpty,
          case .parts(let parts)? = attribute.value, case .constant(let text)? = parts.first
        else { continue }
        services[last].characteristics[services[last].characteristics.count - 1].userDescription = text
      default: break
      }
    }
    return services
  }

  func declarations(_ player: RecordingPlayer) -> [ServiceDeclaration] {
    publishedServices.map { service in
      ServiceDeclaration(
        service.uuid, isPrimary: service.isPrimary,
        service.characteristics.map { entry in
          var declaration = CharacteristicDeclaration.dynamic(
            entry.path.characteristic, read: { access in player.read(access, entry.valueHandle) },
            write: { access, value in player.write(access, value, entry.valueHandle) })
          declaration.make = { entry.made }
          return declaration
        })
    }
  }
}

extension RecordedDevice.PublishedCharacteristic {
  /// What a program may publish of the properties on the air (Core, Vol 3 Part G 3.3.1.1): not Broadcast and not Extended Properties.
  fileprivate var made: CBMutableCharacteristic {
    var published: CBCharacteristicProperties = []
    var permissions: CBAttributePermissions = []
    func has(_ word: PropertyWord) -> Bool { properties & word.bit != 0 }
    if has(.read) {
      published.insert(.read)
      permissions.insert(needsEncryption ? .readEncryptionRequired : .readable)
    }
    if has(.write) { published.insert(.write) }
    if has(.writeWithoutResponse) { published.insert(.writeWithoutResponse) }
    if has(.write) || has(.writeWithoutResponse) {
      permissions.insert(needsEncryption ? .writeEncryptionRequired : .writeable)
    }
    if has(.notify) { published.insert(needsEncryption ? .notifyEncryptionRequired : .notify) }
    if has(.indicate) { published.insert(needsEncryption ? .indicateEncryptionRequired : .indicate) }
    if permissions.isEmpty { permissions.insert(.readable) }
    let made = CBMutableCharacteristic(
      type: path.characteristic, properties: published, value: nil, permissions: permissions)
    if let userDescription {
      made.descriptors = [
        CBMutableDescriptor(
          type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString),
          value: String(decoding: userDescription, as: UTF8.self))
      ]
    }
    return made
  }
}
