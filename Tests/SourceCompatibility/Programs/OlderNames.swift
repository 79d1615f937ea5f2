import CoreBluetooth

/// Sources that were not changed for years: older names, `class` protocols, `error as NSError?`.
final class OlderNames: NSObject, Program, CBCentralManagerDelegate {
  private var log: [String] = []
  private var peripheral: CBPeripheral?

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "old"), options: stage.options("phone"))
    try await stage.wait { self.log.contains("connected") }
    stage.moveAway("sensor")
    try await stage.wait(60) { self.log.count == 3 }
    try check(log == ["on", "connected", "CBErrorDomain 6"])
    try check(CBPeripheralManager.authorizationStatus() == .authorized)
    try check(CBError.Code(rawValue: 12) == CBError.unkownDevice)
    withExtendedLifetime((sensor, manager)) {}
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state.rawValue == CBCentralManagerState.poweredOn.rawValue { log.append("on") }
    central.scanForPeripherals(withServices: nil, options: nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    self.peripheral = peripheral
    central.connect(peripheral, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { log.append("connected") }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    let error = error as NSError?
    log.append("\(error?.domain ?? "none") \(error?.code ?? 0)")
  }
}
