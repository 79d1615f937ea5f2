import CoreBluetooth

/// One object for the manager, another one for each peripheral.
final class SplitDelegates: NSObject, Program, CBCentralManagerDelegate {
  private final class Session: NSObject, CBPeripheralDelegate {
    let peripheral: CBPeripheral
    private(set) var services = 0

    init(_ peripheral: CBPeripheral) {
      self.peripheral = peripheral
      super.init()
      self.peripheral.delegate = self
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
      services = peripheral.services?.count ?? 0
    }
  }

  private var sessions: [UUID: Session] = [:]

  func run(on stage: any Stage) async throws {
    let first = Sensor("one", options: stage.options("one"))
    let second = Sensor("two", options: stage.options("two"))
    let manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "split"), options: stage.options("phone"))
    try await stage.wait { self.sessions.count == 2 && self.sessions.values.allSatisfy { $0.services == 3 } }
    try check(Set(sessions.values.compactMap { $0.peripheral.name }) == ["one", "two"])
    withExtendedLifetime((first, second, manager)) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    central.scanForPeripherals(withServices: [CBUUID(string: Sensor.heartRate)], options: [:])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard sessions[peripheral.identifier] == nil else { return }
    sessions[peripheral.identifier] = Session(peripheral)
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices(nil)
  }
}
