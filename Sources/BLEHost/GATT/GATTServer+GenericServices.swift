import BLECore
import BLEWire

/// The handles of the services that every server has.
public struct GenericServices: Hashable, Sendable {
  /// The value of Device Name.
  public let deviceName: AttributeHandle
  /// The value of Appearance.
  public let appearance: AttributeHandle
  public let genericAccess: ClosedRange<AttributeHandle>
  public let genericAttribute: ClosedRange<AttributeHandle>
}

extension GATTServer {
  /// Adds Generic Access and Generic Attribute (Core, Vol 3 Part C 12 and Part G 7) at the beginning of an empty database;
  /// `nil` if their handles are in use.
  ///
  /// - Parameters:
  ///   - name: truncated to 248 octets of UTF-8.
  ///   - appearance: a value of Assigned Numbers, 2.6.
  @discardableResult
  public func addGenericServices(name: String, appearance: UInt16 = 0) -> GenericServices? {
    let attributeStart: UInt16 = 6
    let attributeEnd: UInt16 = 15
    var access = ServiceBuilder(next: .first)
    access.addDeclaration(GATTType.genericAccess, isPrimary: true, end: AttributeHandle(attributeStart - 1))
    let nameHandle = access.addCharacteristic(
      GATTType.deviceName, properties: CharacteristicProperties.read, .readable, .value(Self.nameOctets(name)))
    let appearanceHandle = access.addCharacteristic(
      GATTType.appearance, properties: CharacteristicProperties.read, .readable,
      .value([UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8)]))

    var attribute = ServiceBuilder(next: AttributeHandle(attributeStart))
    attribute.addDeclaration(GATTType.genericAttribute, isPrimary: true, end: AttributeHandle(attributeEnd))
    let changed = attribute.addCharacteristic(
      GATTType.serviceChanged, properties: CharacteristicProperties.indicate, AttributePermissions(),
      .server(.serviceChanged))
    attribute.addClientConfiguration(of: changed, properties: CharacteristicProperties.indicate)
    attribute.addCharacteristic(
      GATTType.clientSupportedFeatures,
      properties: CharacteristicProperties.read | CharacteristicProperties.write,
      AttributePermissions(read: .open, write: .open, writeForms: .request), .server(.clientSupportedFeatures))
    attribute.addCharacteristic(
      GATTType.databaseHash, properties: CharacteristicProperties.read, .readable, .server(.databaseHash))
    attribute.addCharacteristic(
      GATTType.serverSupportedFeatures, properties: CharacteristicProperties.read, .readable,
      .server(.serverSupportedFeatures))
    guard database.place(access.attributes + attribute.attributes) else { return nil }
    serviceChanged = changed
    return GenericServices(
      deviceName: nameHandle, appearance: appearanceHandle,
      genericAccess: .first...AttributeHandle(attributeStart - 1),
      genericAttribute: AttributeHandle(attributeStart)...AttributeHandle(attributeEnd))
  }

  /// Returns a device name as UTF-8, truncated between two characters to 248 octets.
  public static func nameOctets(_ name: String) -> [UInt8] {
    var octets: [UInt8] = []
    for character in name {
      let encoded = Array(character.utf8)
      if octets.count + encoded.count > 248 { break }
      octets.append(contentsOf: encoded)
    }
    return octets
  }
}
