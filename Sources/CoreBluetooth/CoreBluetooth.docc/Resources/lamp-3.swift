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
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: Self.light, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    ]
    peripheral.removeAllServices()
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { return print("not published:", error.localizedDescription) }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Lamp",
      CBAdvertisementDataServiceUUIDsKey: [Self.service],
    ])
  }
}
