import CoreBluetooth

/// Reads a percentage and the words of a descriptor.
final class BatteryReader: NSObject, Program, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var manager: CBCentralManager?
  private var device: CBPeripheral?
  private var level: UInt8?
  private var place: String?

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "battery"), options: stage.options("phone"))
    try await stage.wait { self.level != nil && self.place != nil }
    try check(level == 87 && place == "place")
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    central.scanForPeripherals(withServices: [CBUUID(string: "180F")])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    device = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([CBUUID(string: "180F"), CBUUID(string: "180D")])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    peripheral.services?.forEach { peripheral.discoverCharacteristics(nil, for: $0) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    for characteristic in service.characteristics ?? [] {
      if characteristic.uuid == CBUUID(string: "2A19") { peripheral.readValue(for: characteristic) }
      if characteristic.uuid == CBUUID(string: "2A38") { peripheral.discoverDescriptors(for: characteristic) }
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?)
  {
    characteristic.descriptors?.forEach { peripheral.readValue(for: $0) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {
    if descriptor.uuid.uuidString == CBUUIDCharacteristicUserDescriptionString { place = descriptor.value as? String }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    level = characteristic.value?.first
  }
}
