import CoreBluetooth
import Foundation

/// Looks for one device by name, connects, walks its services, characteristics and descriptors, reads what can be read,
/// writes what can be written, listens to what is pushed, and stays with the device: when the connection is lost it asks
/// for it again.
///
/// usage: Explorer [NAME [PUSHES]]  ends after PUSHES values (3); with 0 it runs until it is stopped.
final class Explorer: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private let wanted: String
  private let pushes: Int
  private var manager: CBCentralManager!
  private var device: CBPeripheral?
  private var pushed = 0

  init(wanted: String, pushes: Int) {
    self.wanted = wanted
    self.pushes = pushes
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    print("state \(central.state.rawValue)")
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard device == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == wanted else { return }
    print("found \(wanted) \(peripheral.identifier) \(RSSI) dBm")
    device = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    print("connected \(peripheral.identifier) same object \(peripheral === device)")
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    print("failed to connect: \(error?.localizedDescription ?? "no reason")")
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    guard let error else {
      print("disconnected")
      exit(0)
    }
    print("lost \((error as? CBError)?.code.rawValue ?? -1) \(error.localizedDescription)")
    central.connect(peripheral)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] {
      print("service \(service.uuid.uuidString)")
      peripheral.discoverCharacteristics(nil, for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    for characteristic in service.characteristics ?? [] {
      print("characteristic \(service.uuid.uuidString) \(characteristic.uuid.uuidString)")
      peripheral.discoverDescriptors(for: characteristic)
      if characteristic.properties.contains(.read) { peripheral.readValue(for: characteristic) }
      if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
      if characteristic.properties.contains(.write) {
        peripheral.writeValue(Data("explored".utf8), for: characteristic, type: .withResponse)
      }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?
  ) {
    for descriptor in characteristic.descriptors ?? [] { peripheral.readValue(for: descriptor) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {
    print("descriptor \(descriptor.uuid.uuidString) \(descriptor.value.map { "\($0)" } ?? "none")")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    if let error { return print("cannot read \(characteristic.uuid.uuidString): \(error.localizedDescription)") }
    let text = String(decoding: characteristic.value ?? Data(), as: UTF8.self)
    guard characteristic.isNotifying else { return print("value \(characteristic.uuid.uuidString) \(text)") }
    print("pushed \(text)")
    pushed += 1
    if pushed == pushes { manager.cancelPeripheralConnection(peripheral) }
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
    print("written \(characteristic.uuid.uuidString) \(error?.localizedDescription ?? "")")
    if error == nil { peripheral.readValue(for: characteristic) }
  }
}

setvbuf(stdout, nil, _IOLBF, 0)
let arguments = CommandLine.arguments.dropFirst()
let explorer = Explorer(
  wanted: arguments.first ?? "Owenli", pushes: arguments.dropFirst().first.flatMap { Int($0) } ?? 3)
RunLoop.main.run()
withExtendedLifetime(explorer) {}
