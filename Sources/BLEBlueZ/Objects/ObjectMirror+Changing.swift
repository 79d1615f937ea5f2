import BLEAdapter
import BLECore

extension ObjectMirror {
  func change(adapter path: String, _ properties: ReportedProperties) {
    guard var adapter = adapters[path] else { return }
    let before = adapter
    if let isPowered = reader.read("Powered", of: BlueZName.adapter, in: properties, { $0.flag }) {
      adapter.isPowered = isPowered
    }
    if let kind = reader.read("AddressType", of: BlueZName.adapter, in: properties, { $0.text }) {
      adapter.addressKind = kind == "random" ? .random : .public
    }
    let address = reader.read("Address", of: BlueZName.adapter, in: properties) { value in
      value.text.flatMap { DeviceAddress($0, kind: .public) }
    }
    if let address = address ?? adapter.address {
      adapter.address = DeviceAddress(address.value, kind: adapter.addressKind)
    }
    if adapter == before { return }
    adapters[path] = adapter
    events?.adaptersDidChange()
  }

  func change(device path: String, _ properties: ReportedProperties, _ invalidated: [String]) {
    guard let device = devices[path] else { return }
    let address = device.address
    let changes = device.take(properties, invalidated: invalidated, reader)
    if changes.contains(.address) {
      byAddress[Site(adapter: device.adapter, address: address)] = nil
      byAddress[Site(adapter: device.adapter, address: device.address)] = device
    }
    if !changes.isEmpty { events?.device(device, didChange: changes) }
  }

  func change(service place: ObjectPlace, _ properties: ReportedProperties) {
    guard let (device, handle) = owner(of: place, place.service), place.characteristic == nil,
      let includes = RemoteAttributes.Service.includes(properties, reader)
    else { return }
    device.attributes.setIncludes(includes, of: handle)
  }

  func change(characteristic place: ObjectPlace, _ properties: ReportedProperties) {
    guard let (device, handle) = owner(of: place, place.characteristic), place.descriptor == nil,
      let characteristic = device.attributes.characteristics[handle]
    else { return }
    // The unit first: it is the one with which the value was sent.
    if let mtu = properties["MTU"] { takeMaximumTransmissionUnit(device, mtu) }
    let value = reader.read("Value", of: BlueZName.gattCharacteristic, in: properties) { $0.octetsValue }
    if let value { events?.device(device, hasValue: value, of: characteristic.value) }
  }

  func takeMaximumTransmissionUnit(_ device: DeviceObject, _ value: BusValue) {
    let mtu = reader.read("MTU", of: BlueZName.gattCharacteristic, from: value) { $0.unsigned16 }
    // It is zero while there is no link.
    guard let mtu, mtu > 0, device.attributes.maximumTransmissionUnit != Int(mtu) else { return }
    device.attributes.setMaximumTransmissionUnit(mtu)
    events?.deviceDidChangeMaximumTransmissionUnit(device)
  }

  // MARK: Removing

  func remove(_ path: String, _ place: ObjectPlace, _ interface: String) {
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
      guard let (device, handle) = owner(of: place, place.service), place.characteristic == nil else { return }
      var range: ClosedRange<AttributeHandle>?
      edit(device) { range = $0.removeService(handle) }
      if let range { events?.device(device, didChangeServicesIn: range) }
    case BlueZName.gattCharacteristic:
      guard let (device, handle) = owner(of: place, place.characteristic), place.descriptor == nil else { return }
      edit(device) { $0.removeCharacteristic(handle) }
    case BlueZName.gattDescriptor:
      guard let (device, handle) = owner(of: place, place.descriptor) else { return }
      edit(device) { $0.removeDescriptor(handle) }
    default: break
    }
  }
}
