import CoreBluetooth

/// The other side, where there is no hardware: a device with a battery. Its service is the vendor's own: an app cannot publish the Battery
/// service, because iOS publishes one itself.
final class SmartDevice: NSObject, CBPeripheralManagerDelegate {
  private let name: String
  private var manager: CBPeripheralManager!

  init(name: String) {
    self.name = name
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return print("state \(peripheral.state.rawValue)") }
    let battery = CBMutableService(type: DevicePage.battery, primary: true)
    battery.characteristics = [
      CBMutableCharacteristic(
        type: DevicePage.level, properties: .read, value: Data([87]), permissions: .readable)
    ]
    peripheral.removeAllServices()
    peripheral.add(battery)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    if let error { return print("cannot add \(service.uuid): \(error.localizedDescription)") }
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    print(error.map { "cannot advertise: \($0.localizedDescription)" } ?? "advertising \(name)")
  }
}
