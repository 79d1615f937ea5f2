import CoreBluetooth
import Testing

/// A program in the central role: a manager on a queue of its own, and a record of all calls of its delegates.
///
/// `@unchecked Sendable`: callbacks come on `queue`, and the tests look only while the world is not running.
final class CentralApp: NSObject, @unchecked Sendable {
  struct Sighting {
    let peripheral: CBPeripheral
    let data: [String: Any]
    let rssi: NSNumber
    var name: String? { data[CBAdvertisementDataLocalNameKey] as? String }
  }

  let queue: DispatchQueue
  private(set) var manager: CBCentralManager!
  /// The calls of the delegates, without discoveries: "connected lamp", "value FFF1 0102", "wrote FFF1 error 3".
  var told: [String] = []
  var sightings: [Sighting] = []
  /// The states of peripherals when their connection was reported.
  var standings: [CBPeripheralState] = []
  /// Every value received, read or notified.
  var values: [Data] = []
  var channels: [CBL2CAPChannel] = []
  /// The errors among the calls.
  var errors: [any Error] = []
  var invalidated: [CBService] = []
  /// Called at each event of that kind ("connected", "value"), after it was recorded.
  var reactions: [String: () -> Void] = [:]
  /// Called at each discovery.
  var onSighting: (() -> Void)?

  /// - Parameter queue: the manager's queue; `nil` for the main queue.
  init(
    _ options: [String: Any], more: [String: Any] = [:], queue: DispatchQueue? = DispatchQueue(label: "central app")
  ) {
    self.queue = queue ?? .main
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options.merging(more) { $1 })
  }

  var names: [String] { sightings.compactMap(\.name) }

  func sighted(_ name: String) throws -> CBPeripheral {
    try #require(sightings.first { $0.name == name }?.peripheral, "\(name) was not seen")
  }

  func forget() {
    told = []
    sightings = []
    standings = []
    values = []
    errors = []
  }

  func note(_ kind: String, _ what: String? = nil, _ error: (any Error)? = nil) {
    let code = error.map { "error \(($0 as NSError).code)" }
    if let error { errors.append(error) }
    told.append([kind, what, code].compactMap { $0 }.joined(separator: " "))
    reactions[kind]?()
  }

  private func noteStanding(_ kind: String, _ peripheral: CBPeripheral, _ error: (any Error)? = nil) {
    standings.append(peripheral.state)
    note(kind, peripheral.name, error)
  }
}

extension CentralApp: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state", "\(central.state.rawValue)") }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    sightings.append(Sighting(peripheral: peripheral, data: advertisementData, rssi: RSSI))
    onSighting?()
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    noteStanding("connected", peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    noteStanding("failed", peripheral, error)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    noteStanding("disconnected", peripheral, error)
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    note("event", "\(event.rawValue) \(peripheral.name ?? "-")")
  }
}

extension CentralApp: CBPeripheralDelegate {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name", peripheral.name) }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    invalidated += invalidatedServices
    note("modified", invalidatedServices.map(\.uuid.uuidString).joined(separator: " "))
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note("rssi", error == nil ? nil : "\(RSSI)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note("services", nil, error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {
    note("included", service.uuid.uuidString, error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    note("characteristics", service.uuid.uuidString, error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("descriptors", characteristic.uuid.uuidString, error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if error == nil { values.append(characteristic.value ?? Data()) }
    let value = error == nil ? " " + (characteristic.value ?? Data()).hexadecimal : ""
    note("value", characteristic.uuid.uuidString + value, error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("descriptor", descriptor.uuid.uuidString, error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("wrote", characteristic.uuid.uuidString, error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("wrote descriptor", descriptor.uuid.uuidString, error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("notifying", "\(characteristic.uuid.uuidString) \(characteristic.isNotifying)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    if let channel { channels.append(channel) }
    note("opened", nil, error)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { note("ready") }
}

extension Data {
  var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension CBUUID {
  static func of(_ text: String) -> CBUUID { CBUUID(string: text) }
}
