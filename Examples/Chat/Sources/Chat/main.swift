import CoreBluetooth
import Foundation

// usage: Chat peripheral            publishes FF11 with FF22, shows what is written and pushes it back
//        Chat central TEXT ...      writes each TEXT to `My dear`, reads it back, listens to the echo, and ends

/// FF11 with FF22 (read, write, notify), called `My dear`.
final class ChatPeripheral: NSObject, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager!
  private let line = CBMutableCharacteristic(
    type: CBUUID(string: "FF22"), properties: [.read, .write, .notify], value: nil,
    permissions: [.readable, .writeable])
  private var text = Data()

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return print("state \(peripheral.state.rawValue)") }
    let service = CBMutableService(type: CBUUID(string: "FF11"), primary: true)
    service.characteristics = [line]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "My dear", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    print(error.map { "cannot advertise: \($0.localizedDescription)" } ?? "advertising")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard request.offset <= text.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = text.subdata(in: request.offset..<text.count)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    text = requests.reduce(Data()) { $0 + ($1.value ?? Data()) }
    print("received \(String(decoding: text, as: UTF8.self))")
    peripheral.respond(to: requests[0], withResult: .success)
    _ = manager.updateValue(Data("echo of \(text.count) octets".utf8), for: line, onSubscribedCentrals: nil)
  }
}

final class ChatCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var texts: ArraySlice<String>
  private var manager: CBCentralManager!
  private var friend: CBPeripheral?

  init(texts: ArraySlice<String>) {
    self.texts = texts
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return print("state \(central.state.rawValue)") }
    central.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard friend == nil else { return }
    friend = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.discoverServices([CBUUID(string: "FF11")])
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
    print(error.map { "lost: \($0.localizedDescription)" } ?? "disconnected")
    exit(error == nil ? 0 : 1)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics([CBUUID(string: "FF22")], for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    guard let line = service.characteristics?.first else { return print("no FF22 in FF11") }
    peripheral.setNotifyValue(true, for: line)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    if let error { print("cannot subscribe: \(error.localizedDescription)") }
    writeNext(to: characteristic, of: peripheral)
  }

  private func writeNext(to line: CBCharacteristic, of peripheral: CBPeripheral) {
    guard let text = texts.popFirst() else { return manager.cancelPeripheralConnection(peripheral) }
    print("writing \(text.utf8.count) octets")
    peripheral.writeValue(Data(text.utf8), for: line, type: .withResponse)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
    if let error {
      print("refused \((error as? CBATTError)?.code.rawValue ?? -1) \(error.localizedDescription)")
      writeNext(to: characteristic, of: peripheral)
    } else {
      peripheral.readValue(for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    let text = String(decoding: characteristic.value ?? Data(), as: UTF8.self)
    if text.hasPrefix("echo of") { return print(text) }
    print("read back \(text)")
    writeNext(to: characteristic, of: peripheral)
  }
}

setvbuf(stdout, nil, _IOLBF, 0)
let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "peripheral":
  let peripheral = ChatPeripheral()
  RunLoop.main.run()
  withExtendedLifetime(peripheral) {}
case "central":
  let central = ChatCentral(texts: arguments.dropFirst())
  RunLoop.main.run()
  withExtendedLifetime(central) {}
default:
  print("usage: Chat peripheral | Chat central TEXT ...")
  exit(64)
}
