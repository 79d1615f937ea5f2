import CoreBluetooth

/// Forwards every call to several listeners, which are held weakly.
protocol BluetoothListener: AnyObject {
  func didFind(_ peripheral: CBPeripheral, signal: Int)
  func didChange(_ state: CBManagerState)
}

extension BluetoothListener {
  func didChange(_ state: CBManagerState) {}
}

final class Hub: NSObject, CBCentralManagerDelegate {
  private struct Weak { weak var listener: (any BluetoothListener)? }
  private var list: [Weak] = []

  func add(_ listener: any BluetoothListener) { list.append(Weak(listener: listener)) }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    list.forEach { $0.listener?.didChange(central.state) }
    central.scanForPeripherals(withServices: nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    list.forEach { $0.listener?.didFind(peripheral, signal: RSSI.intValue) }
  }
}

final class ManyListeners: Program {
  private final class Listener: BluetoothListener {
    var found: Set<String> = []
    func didFind(_ peripheral: CBPeripheral, signal: Int) { found.insert(peripheral.name ?? "") }
  }

  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Heard", options: stage.options("sensor"))
    let hub = Hub()
    let listeners = [Listener(), Listener()]
    listeners.forEach(hub.add)
    let manager = CBCentralManager(delegate: hub, queue: DispatchQueue(label: "hub"), options: stage.options("phone"))
    try await stage.wait { listeners.allSatisfy { $0.found.contains("Heard") } }
    withExtendedLifetime((sensor, manager)) {}
  }
}
