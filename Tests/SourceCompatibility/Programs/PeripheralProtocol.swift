import CoreBluetooth

/// A protocol of the application that the system's class conforms to as it is: every label and type has to match.
protocol PeripheralType: AnyObject {
  var identifier: UUID { get }
  var name: String? { get }
  var state: CBPeripheralState { get }
  var services: [CBService]? { get }
  var delegate: CBPeripheralDelegate? { get set }
  var canSendWriteWithoutResponse: Bool { get }
  func readRSSI()
  func discoverServices(_ serviceUUIDs: [CBUUID]?)
  func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService)
  func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService)
  func discoverDescriptors(for characteristic: CBCharacteristic)
  func readValue(for characteristic: CBCharacteristic)
  func readValue(for descriptor: CBDescriptor)
  func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int
  func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType)
  func writeValue(_ data: Data, for descriptor: CBDescriptor)
  func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic)
  func openL2CAPChannel(_ PSM: CBL2CAPPSM)
}

extension CBPeripheral: PeripheralType {}

final class PeripheralProtocol: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Typed", options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let peripheral: PeripheralType = try unwrap(link.peripheral)
    try check(peripheral.state == .connected && peripheral.services?.count == 3)
    try check(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
    try check(peripheral.delegate === link && peripheral.canSendWriteWithoutResponse)
    peripheral.delegate = nil
    try check(link.peripheral?.delegate == nil)
    withExtendedLifetime(sensor) {}
  }
}
