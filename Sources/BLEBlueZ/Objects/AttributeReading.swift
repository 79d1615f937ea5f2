import BLECore
import BLEHost

// Attributes from the daemon's properties.

extension RemoteAttributes.Service {
  init?(_ properties: ReportedProperties, _ reader: PropertyReader) {
    let interface = BlueZName.gattService
    guard let uuid = reader.read("UUID", of: interface, in: properties, { $0.attributeUUID }) else { return nil }
    self.init(
      uuid: uuid, isPrimary: reader.read("Primary", of: interface, in: properties) { $0.flag } ?? true,
      includes: Self.includes(properties, reader) ?? [])
  }

  static func includes(_ properties: ReportedProperties, _ reader: PropertyReader) -> [String]? {
    reader.read("Includes", of: BlueZName.gattService, in: properties) { $0.list?.compactMap(\.path) }
  }
}

extension RemoteAttributes.Characteristic {
  init?(
    _ properties: ReportedProperties, path: String, declaration: AttributeHandle, service: AttributeHandle,
    _ reader: PropertyReader
  ) {
    let interface = BlueZName.gattCharacteristic
    guard let uuid = reader.read("UUID", of: interface, in: properties, { $0.attributeUUID }),
      // The value follows the declaration (Core, Vol 3 Part G 3.3).
      let next = declaration.next
    else { return nil }
    let named = reader.read("Handle", of: interface, in: properties) { $0.unsigned16 }.map { AttributeHandle($0) }
    let flags = reader.read("Flags", of: interface, in: properties) { $0.texts } ?? []
    self.init(
      path: path, uuid: uuid, properties: flags.reduce(0) { $0 | Self.bit($1) }, service: service,
      value: named.flatMap { $0 > declaration ? $0 : nil } ?? next)
  }

  /// The property bit for a flag of the daemon.
  private static func bit(_ flag: String) -> UInt8 {
    switch flag {
    case "broadcast": CharacteristicProperties.broadcast
    case "read": CharacteristicProperties.read
    case "write-without-response": CharacteristicProperties.writeWithoutResponse
    case "write": CharacteristicProperties.write
    case "notify": CharacteristicProperties.notify
    case "indicate": CharacteristicProperties.indicate
    case "authenticated-signed-writes": CharacteristicProperties.authenticatedSignedWrites
    case "extended-properties", "reliable-write", "writable-auxiliaries": CharacteristicProperties.extendedProperties
    default: 0
    }
  }
}

extension RemoteAttributes.Descriptor {
  init?(_ properties: ReportedProperties, path: String, characteristic: AttributeHandle, _ reader: PropertyReader) {
    let uuid = reader.read("UUID", of: BlueZName.gattDescriptor, in: properties) { $0.attributeUUID }
    guard let uuid else { return nil }
    self.init(path: path, uuid: uuid, characteristic: characteristic)
  }
}

extension BusValue {
  /// A UUID in the attribute protocol's shortest form. The daemon writes all of its 128 bits.
  var attributeUUID: BLEUUID? { text.flatMap { BLEUUID($0)?.forAttributeProtocol } }
}
