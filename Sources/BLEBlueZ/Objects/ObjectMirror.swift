import BLEAdapter
import BLECore

/// What is told when the daemon's objects change. Everything on the loop.
protocol ObjectMirrorEvents: AnyObject {
  /// An adapter was added or removed, or its power or address has changed.
  func adaptersDidChange()
  /// A new device, or what has changed of one.
  func device(_ device: DeviceObject, didChange changes: DeviceChanges)
  /// It is not in the mirror any more.
  func deviceWasRemoved(_ device: DeviceObject)
  /// Services of the device were added or removed.
  func device(_ device: DeviceObject, didChangeServicesIn handles: ClosedRange<AttributeHandle>)
  /// The daemon knows the device's MTU.
  func deviceDidChangeMaximumTransmissionUnit(_ device: DeviceObject)
  /// A notification, an indication, or the answer to somebody's read: the daemon does not say which.
  func device(_ device: DeviceObject, hasValue value: [UInt8], of handle: AttributeHandle)
  /// Its link has ended, and the daemon says why.
  func device(_ device: DeviceObject, didDisconnect reason: String)
}

/// An adapter as the daemon shows it.
struct AdapterObject: Hashable {
  let path: String
  var address: DeviceAddress?
  var isPowered = false
}

/// A copy of the daemon's objects, kept up to date by its signals. Each signal costs one look-up by path, however many devices there are.
final class ObjectMirror {
  /// So many objects are kept. A daemon that has more is out of its mind, or not the daemon.
  static let limit = 262_144

  private(set) var adapters: [String: AdapterObject] = [:]
  private(set) var devices: [String: DeviceObject] = [:]
  private var byAddress: [Site: DeviceObject] = [:]
  private var attributeCount = 0
  private var nextNumber: UInt64 = 1
  private let reader: PropertyReader
  private weak var events: (any ObjectMirrorEvents)?

  /// A device belongs to one adapter: another may know it as well.
  private struct Site: Hashable {
    let adapter: String
    let address: DeviceAddress
  }

  init(log: Logger, events: any ObjectMirrorEvents) {
    reader = PropertyReader(log: log)
    self.events = events
  }

  func device(at address: DeviceAddress, on adapter: String) -> DeviceObject? {
    byAddress[Site(adapter: adapter, address: address)]
  }

  // MARK: What the daemon tells

  /// Everything is gone, and nobody is told of each.
  func removeAll() {
    adapters = [:]
    devices = [:]
    byAddress = [:]
    attributeCount = 0
  }

  /// The answer to GetManagedObjects: all that there is.
  func load(_ answer: [BusValue]) {
    removeAll()
    guard let objects = answer.first?.objects else { return reader.complain("the list of its objects") }
    // Parents first: an attribute belongs to a device.
    for path in objects.keys.sorted() {
      if let interfaces = objects[path]?.properties { add(path, interfaces) } else { reader.complain("an object") }
    }
  }

  func interfacesAdded(_ arguments: [BusValue]) {
    guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].properties else {
      return reader.complain("InterfacesAdded")
    }
    add(path, interfaces)
  }

  func interfacesRemoved(_ arguments: [BusValue]) {
    guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].texts else {
      return reader.complain("InterfacesRemoved")
    }
    guard let place = ObjectPlace(path) else { return }
    for interface in interfaces { remove(path, place, interface) }
  }

  func propertiesChanged(of path: String, _ arguments: [BusValue]) {
    guard arguments.count == 3, let interface = arguments[0].text, let properties = arguments[1].properties,
      let invalidated = arguments[2].texts
    else { return reader.complain("PropertiesChanged") }
    guard let place = ObjectPlace(path) else { return }
    switch interface {
    case BlueZName.adapter: change(adapter: path, properties)
    case BlueZName.device: change(device: path, properties, invalidated)
    case BlueZName.gattService: change(service: place, properties)
    case BlueZName.gattCharacteristic: change(characteristic: place, properties)
    default: break
    }
  }

  /// `Device1.Disconnected`, of newer daemons.
  func disconnected(_ path: String, _ arguments: [BusValue]) {
    guard let device = devices[path] else { return }
    guard let reason = arguments.first?.text else { return reader.complain("Disconnected") }
    events?.device(device, didDisconnect: reason)
  }

  // MARK: Adding

  private var isFull: Bool { adapters.count + devices.count + attributeCount >= Self.limit }

  private func add(_ path: String, _ interfaces: [String: BusValue]) {
    guard let place = ObjectPlace(path) else { return }
    for interface in Self.interfaces {
      guard let value = interfaces[interface] else { continue }
      guard let properties = value.properties else {
        reader.complain("the properties of \(interface)")
        continue
      }
      if isFull { return reader.complain("more than \(Self.limit) objects") }
      add(path, place, interface, properties)
    }
  }

  private static let interfaces = [
    BlueZName.adapter, BlueZName.device, BlueZName.gattService, BlueZName.gattCharacteristic, BlueZName.gattDescriptor,
  ]

  private func add(_ path: String, _ place: ObjectPlace, _ interface: String, _ properties: [String: BusValue]) {
    switch interface {
    case BlueZName.adapter:
      guard place.device == nil else { return reader.complain("the path of an adapter") }
      adapters[path] = AdapterObject(path: path)
      change(adapter: path, properties)
      events?.adaptersDidChange()
    case BlueZName.device: add(device: path, place, properties)
    case BlueZName.gattService: add(service: place, properties)
    case BlueZName.gattCharacteristic: add(characteristic: path, place, properties)
    case BlueZName.gattDescriptor: add(descriptor: path, place, properties)
    default: break
    }
  }

  private func add(device path: String, _ place: ObjectPlace, _ properties: [String: BusValue]) {
    guard place.device == path else { return reader.complain("the path of a device") }
    if devices[path] != nil { return change(device: path, properties, []) }
    guard let address = DeviceObject.address(in: properties, reader) else {
      return reader.complain("a device without an address")
    }
    let device = DeviceObject(path: path, adapter: place.adapter, number: nextNumber, address: address)
    nextNumber += 1
    devices[path] = device
    byAddress[Site(adapter: place.adapter, address: address)] = device
    let changes = device.take(properties, invalidated: [], reader)
    events?.device(device, didChange: changes)
  }

  private func add(service place: ObjectPlace, _ properties: [String: BusValue]) {
    guard let (device, handle) = owner(of: place, \.service), place.characteristic == nil,
      let service = RemoteAttributes.Service(properties, reader)
    else { return }
    let isNew = device.attributes.services[handle] == nil
    edit(device) { $0.setService(service, at: handle) }
    if isNew { events?.device(device, didChangeServicesIn: handle...handle) }
  }

  private func add(characteristic path: String, _ place: ObjectPlace, _ properties: [String: BusValue]) {
    guard let (device, handle) = owner(of: place, \.characteristic), place.descriptor == nil,
      let service = place.service,
      let characteristic = RemoteAttributes.Characteristic(
        properties, path: path, declaration: handle, service: service, reader)
    else { return }
    edit(device) { $0.setCharacteristic(characteristic, at: handle) }
    takeMaximumTransmissionUnit(device, properties)
  }

  private func add(descriptor path: String, _ place: ObjectPlace, _ properties: [String: BusValue]) {
    guard let (device, handle) = owner(of: place, \.descriptor), let characteristic = place.characteristic,
      let descriptor = RemoteAttributes.Descriptor(properties, path: path, characteristic: characteristic, reader)
    else { return }
    edit(device) { $0.setDescriptor(descriptor, at: handle) }
  }

  private func owner(
    of place: ObjectPlace, _ handle: KeyPath<ObjectPlace, AttributeHandle?>
  ) -> (DeviceObject, AttributeHandle)? {
    guard let device = place.device.flatMap({ devices[$0] }), let handle = place[keyPath: handle] else { return nil }
    return (device, handle)
  }

  private func edit(_ device: DeviceObject, _ change: (inout RemoteAttributes) -> Void) {
    let before = device.attributes.count
    change(&device.attributes)
    attributeCount += device.attributes.count - before
  }

  // MARK: Changing

  private func change(adapter path: String, _ properties: [String: BusValue]) {
    guard var adapter = adapters[path] else { return }
    let before = adapter
    if let isPowered = reader.read("Powered", of: BlueZName.adapter, in: properties, { $0.flag }) {
      adapter.isPowered = isPowered
    }
    let address = reader.read("Address", of: BlueZName.adapter, in: properties) { value in
      value.text.flatMap { DeviceAddress($0, kind: .public) }
    }
    if let address { adapter.address = address }
    if adapter == before { return }
    adapters[path] = adapter
    events?.adaptersDidChange()
  }

  private func change(device path: String, _ properties: [String: BusValue], _ invalidated: [String]) {
    guard let device = devices[path] else { return }
    let address = device.address
    let changes = device.take(properties, invalidated: invalidated, reader)
    if changes.contains(.address) {
      byAddress[Site(adapter: device.adapter, address: address)] = nil
      byAddress[Site(adapter: device.adapter, address: device.address)] = device
    }
    if !changes.isEmpty { events?.device(device, didChange: changes) }
  }

  private func change(service place: ObjectPlace, _ properties: [String: BusValue]) {
    guard let (device, handle) = owner(of: place, \.service), place.characteristic == nil,
      let includes = RemoteAttributes.Service.includes(properties, reader)
    else { return }
    device.attributes.setIncludes(includes, of: handle)
  }

  private func change(characteristic place: ObjectPlace, _ properties: [String: BusValue]) {
    guard let (device, handle) = owner(of: place, \.characteristic), place.descriptor == nil,
      let characteristic = device.attributes.characteristics[handle]
    else { return }
    takeMaximumTransmissionUnit(device, properties)
    let value = reader.read("Value", of: BlueZName.gattCharacteristic, in: properties) { $0.octetsValue }
    if let value { events?.device(device, hasValue: value, of: characteristic.value) }
  }

  private func takeMaximumTransmissionUnit(_ device: DeviceObject, _ properties: [String: BusValue]) {
    let mtu = reader.read("MTU", of: BlueZName.gattCharacteristic, in: properties) { $0.unsigned16 }
    // While there is no link it is zero.
    guard let mtu, mtu > 0, device.attributes.maximumTransmissionUnit != Int(mtu) else { return }
    device.attributes.setMaximumTransmissionUnit(mtu)
    events?.deviceDidChangeMaximumTransmissionUnit(device)
  }

  // MARK: Removing

  private func remove(_ path: String, _ place: ObjectPlace, _ interface: String) {
    switch interface {
    case BlueZName.adapter:
      if adapters.removeValue(forKey: path) != nil { events?.adaptersDidChange() }
    case BlueZName.device:
      guard let device = devices.removeValue(forKey: path) else { return }
      attributeCount -= device.attributes.count
      let site = Site(adapter: device.adapter, address: device.address)
      if byAddress[site] === device { byAddress[site] = nil }
      events?.deviceWasRemoved(device)
    case BlueZName.gattService:
      guard let (device, handle) = owner(of: place, \.service), place.characteristic == nil else { return }
      var range: ClosedRange<AttributeHandle>?
      edit(device) { range = $0.removeService(handle) }
      if let range { events?.device(device, didChangeServicesIn: range) }
    case BlueZName.gattCharacteristic:
      guard let (device, handle) = owner(of: place, \.characteristic), place.descriptor == nil else { return }
      edit(device) { $0.removeCharacteristic(handle) }
    case BlueZName.gattDescriptor:
      guard let (device, handle) = owner(of: place, \.descriptor) else { return }
      edit(device) { $0.removeDescriptor(handle) }
    default: break
    }
  }
}
