import CoreBluetooth

/// Protocols on services, characteristics and descriptors, with back references that are optional.
protocol ServiceType: AnyObject {
  var uuid: CBUUID { get }
  var isPrimary: Bool { get }
  var peripheral: CBPeripheral? { get }
  var includedServices: [CBService]? { get }
  var characteristics: [CBCharacteristic]? { get }
}

protocol CharacteristicType: AnyObject {
  var uuid: CBUUID { get }
  var service: CBService? { get }
  var properties: CBCharacteristicProperties { get }
  var value: Data? { get }
  var descriptors: [CBDescriptor]? { get }
  var isNotifying: Bool { get }
}

protocol DescriptorType: AnyObject {
  var uuid: CBUUID { get }
  var characteristic: CBCharacteristic? { get }
  var value: Any? { get }
}

protocol MutableCharacteristicType: CharacteristicType {
  var permissions: CBAttributePermissions { get set }
  var properties: CBCharacteristicProperties { get set }
  var value: Data? { get set }
  var descriptors: [CBDescriptor]? { get set }
  var subscribedCentrals: [CBCentral]? { get }
}

extension CBService: ServiceType {}
extension CBCharacteristic: CharacteristicType {}
extension CBDescriptor: DescriptorType {}
extension CBMutableCharacteristic: MutableCharacteristicType {}

final class AttributeProtocols: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let characteristic: CharacteristicType = try unwrap(link.characteristic(Sensor.measurement))
    try check(characteristic.service?.peripheral?.identifier == link.peripheral?.identifier)
    let service: ServiceType = try unwrap(characteristic.service)
    try check(service.uuid == CBUUID(string: Sensor.heartRate) && service.isPrimary)
    let own: MutableCharacteristicType = CBMutableCharacteristic(
      type: CBUUID(string: "FF22"), properties: .write, value: nil, permissions: .writeable)
    own.properties = [.write, .notify]
    own.permissions.insert(.readable)
    try check(own.service == nil && own.properties.contains(.notify) && own.permissions == [.readable, .writeable])
    let descriptor: DescriptorType = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "x")
    try check(descriptor.characteristic == nil && descriptor.value as? String == "x")
    withExtendedLifetime(sensor) {}
  }
}
