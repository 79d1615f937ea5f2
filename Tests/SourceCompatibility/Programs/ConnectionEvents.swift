import CoreBluetooth

/// Registers for connections that other programs make.
final class ConnectionEvents: NSObject, Program, CBCentralManagerDelegate {
  private var events: [CBConnectionEvent] = []
  private var state = CBManagerState.unknown

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let watcher = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "watch"), options: stage.options("phone"))
    try await stage.wait { self.state == .poweredOn }
    let options: [CBConnectionEventMatchingOption: Any] = [.serviceUUIDs: [CBUUID(string: Sensor.heartRate)]]
    watcher.registerForConnectionEvents(options: options)
    watcher.registerForConnectionEvents()
    watcher.registerForConnectionEvents(options: [.peripheralUUIDs: [UUID()]])
    try check(CBConnectionEventMatchingOption.serviceUUIDs != .peripheralUUIDs)
    switch events.first {
    case .peerConnected?, .peerDisconnected?: throw CheckFailure(description: "nobody was connected")
    case nil: break
    @unknown default: break
    }
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { state = central.state }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    events.append(event)
  }
}
