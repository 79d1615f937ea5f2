import CoreBluetooth

/// Implements both disconnection callbacks: the older one is called.
final class BothDisconnectCallbacks: Program {

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let both = Both()
    let manager = CBCentralManager(
      delegate: both, queue: DispatchQueue(label: "both"), options: stage.options("phone"))
    try await stage.wait { both.device?.state == .connected }
    manager.cancelPeripheralConnection(try unwrap(both.device))
    try await stage.wait { !both.called.isEmpty }
    await stage.pass(1)
    try check(both.called == ["old"])
    withExtendedLifetime(sensor) {}
  }
}

private final class Both: NSObject, CBCentralManagerDelegate {
  var device: CBPeripheral?
  var called: [String] = []

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    device = peripheral
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    called.append("old")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: Error?
  ) {
    called.append("new")
  }
}
