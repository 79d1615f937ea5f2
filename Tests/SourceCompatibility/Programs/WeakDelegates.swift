import CoreBluetooth

/// Managers hold delegates weakly, and delegates may be set and removed.
final class WeakDelegates: Program {
  private final class Delegate: NSObject, CBCentralManagerDelegate {
    var count = 0
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      central.scanForPeripherals(
        withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      count += 1
    }
  }

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let first = Delegate()
    let manager = CBCentralManager(
      delegate: first, queue: DispatchQueue(label: "weak"), options: stage.options("phone"))
    try await stage.wait { first.count > 3 }
    let second = Delegate()
    manager.delegate = second
    let before = first.count
    try await stage.wait { second.count > 3 }
    try check(first.count == before)
    weak var third: Delegate?
    do {
      let short = Delegate()
      manager.delegate = short
      third = short
    }
    try check(third == nil && manager.delegate == nil)
    await stage.pass(1)
    withExtendedLifetime((sensor, second)) {}
  }
}
