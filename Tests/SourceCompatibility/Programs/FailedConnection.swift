import CoreBluetooth

/// Cancels by itself, because the system never does.
final class FailedConnection: NSObject, Program, CBCentralManagerDelegate {
  private var manager: CBCentralManager!
  private var device: CBPeripheral?
  private var ended: (called: Bool, error: Error?) = (false, nil)

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "failed"), options: stage.options("phone"))
    try await stage.wait { self.device != nil }
    stage.moveAway("sensor")
    manager.connect(try unwrap(device), options: nil)
    await stage.pass(60)
    try check(device?.state == .connecting && !ended.called)
    manager.cancelPeripheralConnection(try unwrap(device))
    try await stage.wait { self.ended.called }
    try check(ended.error == nil && device?.state == .disconnected)
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    device = peripheral
    central.stopScan()
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    ended = (true, error)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    ended = (true, error ?? CBError(.unknown))
  }
}
