import CoreBluetooth

final class Remote: NSObject, CBCentralManagerDelegate {
  private var manager: CBCentralManager?
  private let queue = DispatchQueue(label: "remote")

  init(options: [String: Any]? = nil) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    central.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    print("found", peripheral.name ?? "a lamp", "at", RSSI, "dBm")
  }
}
