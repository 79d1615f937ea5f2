import CoreBluetooth

/// Asks the system to preserve its state.
final class RestorableManagers: NSObject, Program, CBCentralManagerDelegate, CBPeripheralManagerDelegate {
  private var states = 0
  private var restored: [CBPeripheral] = []

  func run(on stage: any Stage) async throws {
    var centralOptions = stage.options("phone")
    centralOptions[CBCentralManagerOptionRestoreIdentifierKey] = "central"
    centralOptions[CBCentralManagerOptionShowPowerAlertKey] = false
    var peripheralOptions = stage.options("phone")
    peripheralOptions[CBPeripheralManagerOptionRestoreIdentifierKey] = "peripheral"
    let queue = DispatchQueue(label: "restorable")
    let central = CBCentralManager(delegate: self, queue: queue, options: centralOptions)
    let peripheral = CBPeripheralManager(delegate: self, queue: queue, options: peripheralOptions)
    try await stage.wait { self.states == 2 }
    try check(restored.isEmpty)
    withExtendedLifetime((central, peripheral)) {}
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    _ = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
    _ = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { states += 1 }
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { states += 1 }
}
