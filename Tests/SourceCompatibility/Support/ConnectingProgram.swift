import CoreBluetooth

/// A base class as applications have them: connects to the first sensor. It has the older disconnection callback itself, because
/// a method of a protocol that only a subclass has is not called on Linux (Docs/known-differences.md).
class ConnectingProgram: NSObject, CBCentralManagerDelegate {
  private(set) var manager: CBCentralManager!
  private(set) var device: CBPeripheral?
  var isConnected = false
  var connectOptions: [String: Any]?

  override required init() { super.init() }

  func start(_ stage: any Stage) {
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "program"), options: stage.options("phone"))
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: Sensor.heartRate)]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard device == nil else { return }
    device = peripheral
    central.stopScan()
    central.connect(peripheral, options: connectOptions)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { isConnected = true }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    isConnected = false
  }
}
