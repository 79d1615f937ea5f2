import CoreBluetooth

final class Remote: NSObject, CBCentralManagerDelegate {
  private var manager: CBCentralManager?
  private let queue = DispatchQueue(label: "remote")
  private(set) var lamp: CBPeripheral?

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
    lamp = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    print("connected")
  }
}
