import CoreBluetooth

/// Implements the newer disconnection callback only, and lets the system reconnect.
final class NewDisconnectCallback: NSObject, Program, CBCentralManagerDelegate {
  private var manager: CBCentralManager!
  private var device: CBPeripheral?
  private var connections = 0
  private var reconnecting: [Bool] = []
  private var times: [CFAbsoluteTime] = []

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "new"), options: stage.options("phone"))
    try await stage.wait { self.connections == 1 }
    stage.moveAway("sensor")
    try await stage.wait(60) { !self.reconnecting.isEmpty }
    stage.comeBack("sensor")
    try await stage.wait(60) { self.connections == 2 }
    manager.cancelPeripheralConnection(try unwrap(device))
    try await stage.wait { self.reconnecting.count == 2 }
    try check(reconnecting == [true, false])
    try check(times.allSatisfy { $0 > 0 })
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard device == nil else { return }
    device = peripheral
    central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { connections += 1 }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: Error?
  ) {
    times.append(timestamp)
    reconnecting.append(isReconnecting)
  }
}
