import CoreBluetooth

/// The shortest central: connects to the first sensor and discovers all of it.
final class SimpleLink: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private(set) var manager: CBCentralManager!
  private(set) var peripheral: CBPeripheral?
  private(set) var lastError: Error?
  private(set) var values: [Data] = []
  private(set) var written = 0
  private(set) var isComplete = false
  private var unfinished = 0

  init(options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "link"), options: options)
  }

  func service(_ uuid: String) -> CBService? { peripheral?.services?.first { $0.uuid == CBUUID(string: uuid) } }

  func characteristic(_ uuid: String) -> CBCharacteristic? {
    guard isComplete else { return nil }
    return peripheral?.services?.flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: Sensor.heartRate)]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    let services = peripheral.services ?? []
    unfinished = services.count
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    unfinished -= 1
    isComplete = unfinished == 0
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    if let error = error { lastError = error } else { values.append(characteristic.value ?? Data()) }
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
    if let error = error { lastError = error } else { written += 1 }
  }
}
