import CoreBluetooth

/// A connection as an enumeration with values.
final class StateMachine: NSObject, Program, CBCentralManagerDelegate {
  private enum Phase {
    case idle
    case scanning(since: Date)
    case connecting(CBPeripheral)
    case connected(CBPeripheral)
    case over(CBPeripheral, Error?)

    var name: String {
      switch self {
      case .idle: return "idle"
      case .scanning: return "scanning"
      case .connecting(let peripheral): return "connecting \(peripheral.name ?? "")"
      case .connected(let peripheral): return "connected \(peripheral.state == .connected)"
      case .over(_, nil): return "over"
      case .over(_, let error?): return "lost \((error as NSError).code)"
      }
    }
  }

  private var phase = Phase.idle { didSet { history.append(phase.name) } }
  private var history: [String] = []

  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Machine", options: stage.options("sensor"))
    let manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "machine"), options: stage.options("phone"))
    try await stage.wait { self.history.last == "connected true" }
    if case .connected(let peripheral) = phase { manager.cancelPeripheralConnection(peripheral) }
    try await stage.wait { self.history.last == "over" }
    try check(history == ["scanning", "connecting Machine", "connected true", "over"])
    withExtendedLifetime(sensor) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn, case .idle = phase else { return }
    phase = .scanning(since: Date())
    central.scanForPeripherals(withServices: nil, options: nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard case .scanning = phase, peripheral.name != nil else { return }
    phase = .connecting(peripheral)
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    phase = .connected(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    phase = .over(peripheral, error)
  }
}
