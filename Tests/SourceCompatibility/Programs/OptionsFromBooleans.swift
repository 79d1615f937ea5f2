import CoreBluetooth

/// Options with plain `Bool`, and with `true as NSNumber`.
final class OptionsFromBooleans: NSObject, Program, CBCentralManagerDelegate {
  private var duplicates = 0
  private var manager: CBCentralManager!

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "booleans"), options: stage.options("phone"))
    try await stage.wait { self.manager.isScanning }
    try await stage.wait { self.duplicates > 5 }
    manager.scanForPeripherals(
      withServices: [CBUUID(string: Sensor.battery)],
      options: [CBCentralManagerScanOptionAllowDuplicatesKey: true as NSNumber])
    let before = duplicates
    try await stage.wait { self.duplicates > before + 5 }
    manager.stopScan()
    try check(!manager.isScanning)
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    duplicates += 1
  }
}
