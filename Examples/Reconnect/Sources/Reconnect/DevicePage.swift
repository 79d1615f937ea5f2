import CoreBluetooth

/// What is shown of a connected device: its battery.
final class DevicePage: NSObject, CBPeripheralDelegate {
  static let battery = CBUUID(string: "FFB0")
  static let level = CBUUID(string: "2A19")

  /// Attributes of an earlier connection are of no use: each connection begins with discovery.
  func show(_ peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.discoverServices([Self.battery])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    // The user may have left the device in the meantime.
    guard peripheral.state == .connected else { return }
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics([Self.level], for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
    guard peripheral.state == .connected else { return }
    for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    guard let percent = characteristic.value?.first else { return }
    print("battery \(percent) %")
  }
}
