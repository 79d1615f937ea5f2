import CoreBluetooth
import Foundation

/// The example peripheral of the articles: service FFF0 with FFF1 (a counter, notified each second to the
/// subscribers) and FFF2 (a text to read and write, described as `name`), service FFE0 with FFE1 (a text to read).
final class Owenli: NSObject, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager!
  private let counter = CBMutableCharacteristic(
    type: CBUUID(string: "FFF1"), properties: .notify, value: nil, permissions: .readable)
  private let name = CBMutableCharacteristic(
    type: CBUUID(string: "FFF2"), properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
  private let fixed = CBMutableCharacteristic(
    type: CBUUID(string: "FFE1"), properties: .read, value: nil, permissions: .readable)
  private var text = Data("owenli".utf8)
  private var count = 0
  private var timer: Timer?
  private var servicesToAdd = 0

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    print("state \(peripheral.state.rawValue)")
    guard peripheral.state == .poweredOn else { return }
    name.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "name")
    ]
    let first = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
    first.characteristics = [counter, name]
    let second = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
    second.characteristics = [fixed]
    servicesToAdd = 2
    peripheral.add(first)
    peripheral.add(second)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    if let error { return print("cannot add \(service.uuid): \(error.localizedDescription)") }
    servicesToAdd -= 1
    guard servicesToAdd == 0 else { return }
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Owenli",
      CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FFF0"), CBUUID(string: "FFE0")],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    print(error.map { "cannot advertise: \($0.localizedDescription)" } ?? "advertising")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    print("subscribed to \(characteristic.uuid)")
    timer?.invalidate()
    timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in self?.push() }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    print("unsubscribed from \(characteristic.uuid)")
    timer?.invalidate()
  }

  private func push() {
    count += 1
    if !manager.updateValue(Data("send data : \(count)".utf8), for: counter, onSubscribedCentrals: nil) {
      count -= 1
    }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    let value = request.characteristic.uuid == name.uuid ? text : Data("read only".utf8)
    guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = value.subdata(in: request.offset..<value.count)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    var changed = requests[0].offset == 0 ? Data() : text
    for request in requests { changed = changed.prefix(request.offset) + (request.value ?? Data()) }
    text = changed
    print("written \(String(decoding: text, as: UTF8.self))")
    peripheral.respond(to: requests[0], withResult: .success)
  }
}

setvbuf(stdout, nil, _IOLBF, 0)
let owenli = Owenli()
RunLoop.main.run()
