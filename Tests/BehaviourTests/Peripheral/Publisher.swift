import BLETestKit
import CoreBluetooth

/// A peripheral manager on a queue of its own, whose delegate records its calls and answers as the test says.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
final class Publisher: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "publisher")
  private(set) var manager: CBPeripheralManager!
  /// The calls, in short form.
  var told: [String] = []
  var errors: [any Error] = []
  var batches: [[CBATTRequest]] = []
  /// The subscribers, in the order of their subscriptions.
  var centrals: [CBCentral] = []
  /// The PSM of the published channel, and the opened channels.
  var multiplexers: [CBL2CAPPSM] = []
  var channels: [CBL2CAPChannel] = []
  /// The value that reads are answered with, from their offset.
  var value = Data()
  /// Called in place of answering with `value`.
  var onRead: ((CBPeripheralManager, CBATTRequest) -> Void)?
  /// Called in place of accepting everything.
  var onWrite: ((CBPeripheralManager, [CBATTRequest]) -> Void)?
  var onReady: ((CBPeripheralManager) -> Void)?
  var onSubscription: ((CBCentral, CBCharacteristic) -> Void)?

  init(_ options: [String: Any]) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  private func note(_ text: String, _ error: (any Error)? = nil) {
    if let error { errors.append(error) }
    told.append(text + (error.map { " error \(($0 as NSError).code)" } ?? ""))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { note("state \(peripheral.state.rawValue)") }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    note("added \(service.uuid.uuidString)", error)
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    note("advertising", error)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    centrals.append(central)
    note("subscribed \(characteristic.uuid.uuidString)")
    onSubscription?(central, characteristic)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    note("unsubscribed \(characteristic.uuid.uuidString)")
    onSubscription?(central, characteristic)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    note("read \(request.characteristic.uuid.uuidString) at \(request.offset)")
    if let onRead { return onRead(peripheral, request) }
    guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = value.dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    batches.append(requests)
    note("wrote \(requests.count) to \(requests[0].characteristic.uuid.uuidString)")
    if let onWrite { return onWrite(peripheral, requests) }
    peripheral.respond(to: requests[0], withResult: .success)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    note("ready")
    onReady?(peripheral)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    if error == nil { multiplexers.append(PSM) }
    note("published", error)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    multiplexers.removeAll { $0 == PSM }
    note("unpublished", error)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    if let channel { channels.append(channel) }
    note("opened", error)
  }
}

extension CBMutableService {
  convenience init(_ uuid: String, _ characteristics: [CBMutableCharacteristic] = [], primary: Bool = true) {
    self.init(type: CBUUID(string: uuid), primary: primary)
    self.characteristics = characteristics
  }
}

extension CBMutableCharacteristic {
  convenience init(
    _ uuid: String, _ properties: CBCharacteristicProperties, _ permissions: CBAttributePermissions = .readable,
    value: Data? = nil
  ) {
    self.init(type: CBUUID(string: uuid), properties: properties, value: value, permissions: permissions)
  }
}
