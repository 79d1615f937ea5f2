import CoreBluetooth

/// The usual first program.
final class HeartRateMonitor: NSObject, Program {
  private var central: CBCentralManager!
  private var heartRateSensor: CBPeripheral?
  private(set) var pulses: [Int] = []
  private var isNotifying = false

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    central = CBCentralManager(delegate: self, queue: DispatchQueue(label: "heart"), options: stage.options("phone"))
    try await stage.wait { self.isNotifying }
    for pulse: UInt8 in [60, 61, 62] {
      sensor.beat(pulse)
      await stage.pass(1)
    }
    try check(pulses == [60, 61, 62])
  }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn: central.scanForPeripherals(withServices: [CBUUID(string: "180D")], options: nil)
    default: break
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    heartRateSensor = peripheral
    heartRateSensor?.delegate = self
    central.stopScan()
    central.connect(peripheral, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([CBUUID(string: "180D")])
  }
}

extension HeartRateMonitor: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    guard let services = peripheral.services else { return }
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    guard let characteristics = service.characteristics else { return }
    for characteristic in characteristics where characteristic.properties.contains(.notify) {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    isNotifying = characteristic.isNotifying
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    switch characteristic.uuid {
    case CBUUID(string: "2A37"):
      guard let value = characteristic.value, value.count > 1 else { return }
      pulses.append(Int(value[1]))
    default: print("Unhandled characteristic \(characteristic.uuid)")
    }
  }
}
