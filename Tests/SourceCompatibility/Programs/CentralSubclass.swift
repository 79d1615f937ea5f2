import CoreBluetooth

/// Subclasses the manager to observe the application's calls.
class LoggingCentralManager: CBCentralManager {
  var calls: [String] = []

  override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    calls.append("scan")
    super.scanForPeripherals(withServices: serviceUUIDs, options: options)
  }

  override func stopScan() {
    calls.append("stop")
    super.stopScan()
  }

  override func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    calls.append("connect")
    super.connect(peripheral, options: options)
  }

  override var isScanning: Bool { super.isScanning && !calls.isEmpty }

  override class func supports(_ features: CBCentralManager.Feature) -> Bool { false }
}

final class CentralSubclass: NSObject, Program, CBCentralManagerDelegate {
  private var isConnected = false
  private var found: CBPeripheral?

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let manager = LoggingCentralManager(
      delegate: self, queue: DispatchQueue(label: "logging"), options: stage.options("phone"))
    try await stage.wait { self.isConnected }
    try check(manager.calls == ["scan", "stop", "connect"])
    try check(!manager.isScanning && !LoggingCentralManager.supports(.extendedScanAndConnect))
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard found == nil else { return }
    found = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { isConnected = true }
}
