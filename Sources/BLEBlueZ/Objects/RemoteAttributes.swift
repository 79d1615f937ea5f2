import BLEAdapter
import BLECore
import BLEHost

/// The attributes that the daemon has discovered on a device, by handle.
struct RemoteAttributes {
  struct Service {
    let uuid: BLEUUID
    let isPrimary: Bool
    /// Paths of the included services.
    var includes: [String]
  }

  struct Characteristic {
    let path: String
    let uuid: BLEUUID
    /// The property bits of its declaration (Core, Vol 3 Part G 3.3.1.1).
    let properties: UInt8
    let service: AttributeHandle
    let value: AttributeHandle

    var isReadable: Bool { properties & CharacteristicProperties.read != 0 }
  }

  struct Descriptor {
    let path: String
    let uuid: BLEUUID
    /// The declaration of its characteristic.
    let characteristic: AttributeHandle
  }

  /// By first handle.
  private(set) var services: [AttributeHandle: Service] = [:]
  /// By the handle of the declaration.
  private(set) var characteristics: [AttributeHandle: Characteristic] = [:]
  private(set) var descriptors: [AttributeHandle: Descriptor] = [:]
  /// Declarations by the handle of the value.
  private var declarations: [AttributeHandle: AttributeHandle] = [:]
  /// The ATT MTU in octets, which newer daemons report with each characteristic.
  private(set) var maximumTransmissionUnit: Int?

  var count: Int { services.count + characteristics.count + descriptors.count }

  // MARK: Changes

  mutating func setService(_ service: Service, at handle: AttributeHandle) {
    services[handle] = service
  }

  mutating func setIncludes(_ paths: [String], of handle: AttributeHandle) { services[handle]?.includes = paths }

  mutating func setCharacteristic(_ characteristic: Characteristic, at handle: AttributeHandle) {
    if let old = characteristics.updateValue(characteristic, forKey: handle) { declarations[old.value] = nil }
    declarations[characteristic.value] = handle
  }

  mutating func setDescriptor(_ descriptor: Descriptor, at handle: AttributeHandle) {
    descriptors[handle] = descriptor
  }

  mutating func setMaximumTransmissionUnit(_ octets: UInt16) { maximumTransmissionUnit = max(23, Int(octets)) }

  mutating func forgetMaximumTransmissionUnit() { maximumTransmissionUnit = nil }

  /// - Returns: the removed service's handles.
  mutating func removeService(_ handle: AttributeHandle) -> ClosedRange<AttributeHandle>? {
    guard services[handle] != nil else { return nil }
    let range = handles(ofService: handle)
    services[handle] = nil
    return range
  }

  mutating func removeCharacteristic(_ handle: AttributeHandle) {
    guard let old = characteristics.removeValue(forKey: handle) else { return }
    declarations[old.value] = nil
  }

  mutating func removeDescriptor(_ handle: AttributeHandle) {
    descriptors[handle] = nil
  }

  // MARK: Lookup

  /// The one with the lowest handle of those that are not read: the daemon signals each value that is read.
  var quietCharacteristic: Characteristic? {
    characteristics.min { ($0.value.isReadable ? 1 : 0, $0.key) < ($1.value.isReadable ? 1 : 0, $1.key) }?.value
  }

  func characteristic(withValue handle: AttributeHandle) -> (declaration: AttributeHandle, Characteristic)? {
    guard let declaration = declarations[handle], let found = characteristics[declaration] else { return nil }
    return (declaration, found)
  }

  /// The handles of a service. The daemon does not report its end: it is the handle before the next service, or the last attribute's.
  func handles(ofService start: AttributeHandle) -> ClosedRange<AttributeHandle> {
    let next = services.keys.filter { $0 > start }.min()
    if let next { return start...AttributeHandle(next.rawValue - 1) }
    let last = max(
      characteristics.values.map(\.value).max() ?? start, descriptors.keys.max() ?? start)
    return start...max(start, last)
  }

  /// In handle order.
  func services(_ isWanted: (Service) -> Bool) -> [RemoteService] {
    let starts = services.keys.sorted()
    return starts.indices.compactMap { index in
      let start = starts[index]
      guard let service = services[start], isWanted(service) else { return nil }
      let range =
        index + 1 < starts.count
        ? start...AttributeHandle(starts[index + 1].rawValue - 1) : handles(ofService: start)
      return RemoteService(uuid: service.uuid, handles: range, isPrimary: service.isPrimary)
    }
  }

  /// In handle order.
  func characteristics(in service: RemoteService) -> [RemoteCharacteristic] {
    let found = characteristics.filter { service.handles.contains($0.key) }.sorted { $0.key < $1.key }
    return found.indices.map { index in
      let (declaration, characteristic) = found[index]
      let last =
        index + 1 < found.count
        ? AttributeHandle(found[index + 1].key.rawValue - 1) : max(service.handles.upperBound, characteristic.value)
      return RemoteCharacteristic(
        uuid: characteristic.uuid, declaration: declaration, value: characteristic.value, end: last,
        properties: characteristic.properties)
    }
  }

  /// In handle order.
  func descriptors(of declaration: AttributeHandle) -> [RemoteDescriptor] {
    descriptors.filter { $0.value.characteristic == declaration }.sorted { $0.key < $1.key }
      .map { RemoteDescriptor(uuid: $0.value.uuid, handle: $0.key) }
  }

  /// The object with which the attribute is read and written; `nil` where it is neither a value nor a descriptor.
  func target(_ handle: AttributeHandle) -> (path: String, interface: String)? {
    if let (_, characteristic) = characteristic(withValue: handle) {
      return (characteristic.path, BlueZName.gattCharacteristic)
    }
    return descriptors[handle].map { ($0.path, BlueZName.gattDescriptor) }
  }
}
