import CoreBluetooth

/// Builds a database in one expression.
struct ServiceDescription {
  var uuid: String
  var isPrimary = true
  var characteristics: [(uuid: String, properties: CBCharacteristicProperties, value: Data?)]

  func make() -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: uuid), primary: isPrimary)
    service.characteristics = characteristics.map { entry -> CBMutableCharacteristic in
      var permissions: CBAttributePermissions = []
      if !entry.properties.isDisjoint(with: [.read, .notify]) { permissions.insert(.readable) }
      if !entry.properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
      return CBMutableCharacteristic(
        type: CBUUID(string: entry.uuid), properties: entry.properties, value: entry.value, permissions: permissions)
    }
    return service
  }
}

final class ServiceBuilder: Program {
  func run(on stage: any Stage) async throws {
    let service = ServiceDescription(
      uuid: "FFF0", characteristics: [("FFF1", [.notify], nil), ("FFF2", [.read, .write], nil)]
    ).make()
    try check(service.uuid == CBUUID(string: "FFF0") && service.isPrimary)
    try check(service.characteristics?.count == 2 && service.includedServices == nil)
    let second = try unwrap(service.characteristics?[1] as? CBMutableCharacteristic)
    try check(second.permissions == [.readable, .writeable] && second.value == nil)
    second.properties.insert(.notify)
    second.permissions = [.readable]
    second.value = Data("x".utf8)
    try check(second.properties.contains(.notify) && second.value?.count == 1)
    try check(second.subscribedCentrals?.isEmpty ?? true)
    let included = CBMutableService(type: CBUUID(string: "FFE0"), primary: false)
    service.includedServices = [included]
    try check(service.includedServices?.first === included && !included.isPrimary)
  }
}
