import BLETestKit
import CoreBluetooth

/// A program in the peripheral role with each kind of attribute: short and long values, notifications, indications, a value
/// for encrypted links, an included service, one to remove, and a channel.
///
/// `@unchecked Sendable`: as `SweepCentral`.
final class SweepPeripheral: NSObject, @unchecked Sendable, CBPeripheralManagerDelegate {
  static let name = "Swept"
  static let longValue = Data((0..<500).map { UInt8($0 % 251) })

  private(set) var manager: CBPeripheralManager!
  private(set) var isAdvertising = false
  private(set) var multiplexer: CBL2CAPPSM?
  private(set) var channels: [CBL2CAPChannel] = []
  /// Each batch of writes, joined.
  private(set) var writes: [Data] = []
  private(set) var subscribed: [String] = []
  /// Subscriptions that began, ended, and ended without having begun.
  private(set) var subscriptionFaults = 0
  /// Requests that are answered by `answerLate`, and whether there are any.
  var answersLate = false
  private(set) var late: [CBATTRequest] = []

  private var notifying: CBMutableCharacteristic?
  private var indicating: CBMutableCharacteristic?
  private var removable: CBMutableService?

  init(_ device: Device) {
    super.init()
    manager = CBPeripheralManager(
      delegate: self, queue: DispatchQueue(label: "swept peripheral"), options: device.options)
  }

  func notify(_ count: Int) {
    guard let notifying else { return }
    for number in 0..<count { manager.updateValue(Data([UInt8(number)]), for: notifying, onSubscribedCentrals: nil) }
  }

  func indicate(_ count: Int) {
    guard let indicating else { return }
    for number in 0..<count { manager.updateValue(Data([UInt8(number)]), for: indicating, onSubscribedCentrals: nil) }
  }

  func takeServiceAway() { if let removable { manager.remove(removable) } }

  func answerLate() {
    answersLate = false
    for request in late {
      request.value = Data("late".utf8)
      manager.respond(to: request, withResult: .success)
    }
  }

  private static func characteristic(
    _ uuid: String, _ properties: CBCharacteristicProperties, _ permissions: CBAttributePermissions
  ) -> CBMutableCharacteristic {
    CBMutableCharacteristic(type: CBUUID(string: uuid), properties: properties, value: nil, permissions: permissions)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    isAdvertising = false
    subscribed = []
    guard peripheral.state == .poweredOn else { return }
    let included = CBMutableService(type: CBUUID(string: "FF60"), primary: true)
    let removable = CBMutableService(type: CBUUID(string: "FF70"), primary: true)
    let main = CBMutableService(type: CBUUID(string: "FF50"), primary: true)
    let short = Self.characteristic("FF51", [.read, .write, .writeWithoutResponse], [.readable, .writeable])
    short.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "short")
    ]
    let (notifying, indicating) = (
      Self.characteristic("FF53", .notify, .readable), Self.characteristic("FF54", .indicate, .readable)
    )
    main.includedServices = [included]
    main.characteristics = [
      short, Self.characteristic("FF52", [.read, .write], [.readable, .writeable]), notifying, indicating,
      Self.characteristic("FF55", .read, .readEncryptionRequired),
    ]
    for service in [included, removable, main] { peripheral.add(service) }
    (self.notifying, self.indicating, self.removable) = (notifying, indicating, removable)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    guard service.uuid == CBUUID(string: "FF50") else { return }
    peripheral.publishL2CAPChannel(withEncryption: false)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    multiplexer = PSM
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: Self.name])
  }
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    isAdvertising = error == nil
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    if answersLate { return late.append(request) }
    let value = request.characteristic.uuid == CBUUID(string: "FF52") ? Self.longValue : Data("short".utf8)
    request.value = value.dropFirst(request.offset)
    peripheral.respond(to: request, withResult: .success)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    writes.append(requests.reduce(Data()) { $0 + ($1.value ?? Data()) })
    peripheral.respond(to: requests[0], withResult: .success)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    if subscribed.contains(characteristic.uuid.uuidString) { subscriptionFaults += 1 }
    subscribed.append(characteristic.uuid.uuidString)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    if !subscribed.contains(characteristic.uuid.uuidString) { subscriptionFaults += 1 }
    subscribed.removeAll { $0 == characteristic.uuid.uuidString }
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    if let channel { channels.append(channel) }
  }
}
