import BLEAdapter
import BLECore

extension ObjectMirror {
  private var isFull: Bool { adapters.count + devices.count + attributeCount >= Self.limit }

  func add(_ path: String, _ interfaces: [String: BusValue]) {
    guard let place = ObjectPlace(path) else { return }
    for interface in Self.interfaces {
      guard let value = interfaces[interface] else { continue }
      guard let properties = ReportedProperties(value) else {
        reader.warn("the properties of \(interface)")
        continue
      }
      if isFull { return reader.warn("more than \(Self.limit) objects") }
      add(path, place, interface, properties)
    }
  }

  private static let interfaces = [
    BlueZName.adapter, BlueZName.device, BlueZName.gattService, BlueZName.gattCharacteristic, BlueZName.gattDescriptor,
  ]

  private func add(_ path: String, _ place: ObjectPlace, _ interface: String, _ properties: ReportedProperties) {
    switch interface {
    case BlueZName.adapter:
      guard place.device == nil else { return reader.warn("the path of an adapter") }
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

  private func add(device path: String, _ place: ObjectPlace, _ properties: ReportedProperties) {
    guard place.device == path else { return reader.warn("the path of a device") }
    if devices[path] != nil { return change(device: path, properties, []) }
    guard let address = DeviceObject.address(in: properties, reader) else {
      return reader.warn("a device without an address")
    }
    let device = DeviceObject(path: path, adapter: place.adapter, number: nextNumber, address: address)
    nextNumber += 1
    devices[path] = device
    byAddress[Site(adapter: place.adapter, address: address)] = device
    let changes = device.take(properties, invalidated: [], reader)
    events?.device(device, didChange: changes)
  }

  private func add(service place: ObjectPlace, _ properties: ReportedProperties) {
    guard let (device, handle) = owner(of: place, place.service), place.characteristic == nil,
      let service = RemoteAttributes.Service(properties, reader)
    else { return }
    let isNew = device.attributes.services[handle] == nil
    edit(device) { $0.setService(service, at: handle) }
    if isNew { events?.device(device, didChangeServicesIn: handle...handle) }
  }

  private func add(characteristic path: String, _ place: ObjectPlace, _ properties: ReportedProperties) {
    guard let (device, handle) = owner(of: place, place.characteristic), place.descriptor == nil,
      let service = place.service,
      let characteristic = RemoteAttributes.Characteristic(
        properties, path: path, declaration: handle, service: service, reader)
    else { return }
    edit(device) { $0.setCharacteristic(characteristic, at: handle) }
    if let mtu = properties["MTU"] { takeMaximumTransmissionUnit(device, mtu) }
  }

  private func add(descriptor path: String, _ place: ObjectPlace, _ properties: ReportedProperties) {
    guard let (device, handle) = owner(of: place, place.descriptor), let characteristic = place.characteristic,
      let descriptor = RemoteAttributes.Descriptor(properties, path: path, characteristic: characteristic, reader)
    else { return }
    edit(device) { $0.setDescriptor(descriptor, at: handle) }
  }

  func owner(
    of place: ObjectPlace, _ handle: AttributeHandle?
  ) -> (DeviceObject, AttributeHandle)? {
    guard let handle, let path = place.device, let device = devices[path] else { return nil }
    return (device, handle)
  }

  func edit(_ device: DeviceObject, _ change: (inout RemoteAttributes) -> Void) {
    let before = device.attributes.count
    change(&device.attributes)
    attributeCount += device.attributes.count - before
  }
}
