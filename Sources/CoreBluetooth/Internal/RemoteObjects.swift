internal import BLEAdapter
internal import BLECore

/// The objects for the services, characteristics and descriptors of one connection: one object for each attribute. On the program's queue.
final class RemoteObjects {
  private let services = SortedTable<AttributeHandle, CBService>()
  private let characteristics = SortedTable<AttributeHandle, CBCharacteristic>()

  func characteristic(_ value: AttributeHandle) -> CBCharacteristic? { characteristics[value] }

  /// The objects for the discovered attributes; with a filter, those of `known` remain.
  func merge(
    _ found: [RemoteService], into known: [CBService]?, isFiltered: Bool, of peripheral: CBPeripheral
  ) -> [CBService] {
    let objects = found.map { remote in
      let start = remote.handles.lowerBound
      if let object = services[start], object.remote == remote { return object }
      let object = CBService(remote, of: peripheral)
      services[start] = object
      return object
    }
    guard isFiltered, let known else { return objects }
    return union(known, objects) { $0.remote?.handles.lowerBound }
  }

  func merge(_ found: [RemoteCharacteristic], into service: CBService, isFiltered: Bool) {
    let objects = found.map { remote in
      // A characteristic whose service was invalidated is invalid too: its discovery may have ended after that.
      if let object = characteristics[remote.value], object.remote == remote, object.service === service {
        return object
      }
      let object = CBCharacteristic(remote, of: service)
      characteristics[remote.value] = object
      return object
    }
    let known = service.characteristics
    let all = isFiltered ? union(known ?? [], objects) { $0.remote?.value } : objects
    service.withState { $0.characteristics = all }
  }

  func merge(_ found: [RemoteDescriptor], into characteristic: CBCharacteristic) {
    var known: [RemoteDescriptor: CBDescriptor] = [:]
    for descriptor in characteristic.descriptors ?? [] {
      if let remote = descriptor.remote { known[remote] = descriptor }
    }
    let isFirst = known.isEmpty
    let objects = found.map { (isFirst ? nil : known[$0]) ?? CBDescriptor($0, of: characteristic) }
    characteristic.withState { $0.descriptors = objects }
  }

  /// Invalidates the services that overlap `handles`, with their attributes.
  func invalidate(_ handles: ClosedRange<AttributeHandle>) -> [CBService] {
    let invalid = services.values.filter { $0.remote?.handles.overlaps(handles) == true }
    for service in invalid {
      if let start = service.remote?.handles.lowerBound { services[start] = nil }
      service.invalidate()
    }
    characteristics.removeAll { _, characteristic in !characteristic.isValid }
    return invalid
  }

  private func union<Attribute: CBAttribute>(
    _ known: [Attribute], _ found: [Attribute], by handle: (Attribute) -> AttributeHandle?
  ) -> [Attribute] {
    let present = Set(known.map { ObjectIdentifier($0) })
    let all = known + found.filter { !present.contains(ObjectIdentifier($0)) }
    return all.sorted { (handle($0) ?? .first) < (handle($1) ?? .first) }
  }
}

extension CBService {
  var isValid: Bool { withState { $0.isValid } }

  func invalidate() {
    let characteristics = withState { state in
      state.isValid = false
      return state.characteristics
    }
    for characteristic in characteristics ?? [] { characteristic.invalidate() }
  }
}

extension CBCharacteristic {
  var isValid: Bool { withState { $0.isValid } }

  func invalidate() {
    withState { state in
      state.isValid = false
      state.isNotifying = false
    }
  }
}
