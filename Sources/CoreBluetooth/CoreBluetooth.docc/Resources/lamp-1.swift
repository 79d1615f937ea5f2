import CoreBluetooth

final class Lamp: NSObject, CBPeripheralManagerDelegate {
  static let service = CBUUID(string: "FF11")
  static let light = CBUUID(string: "FF22")

  private var manager: CBPeripheralManager?
  private let queue = DispatchQueue(label: "lamp")

  init(options: [String: Any]? = nil) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    print("Bluetooth is", peripheral.state == .poweredOn ? "on" : "not on")
  }
}
