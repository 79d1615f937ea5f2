import CoreBluetooth
import Synchronization

/// A program as an app developer writes it: a central manager on a queue of its own, whose delegate records its calls.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
final class CentralProgram: NSObject, @unchecked Sendable {
  struct Sighting {
    let peripheral: CBPeripheral
    let advertisement: [String: Any]
    let rssi: Int
    var name: String? { advertisement[CBAdvertisementDataLocalNameKey] as? String }
  }

  enum Event: Equatable {
    case restored
    case state(CBManagerState)
    case connected(String?)
    case failedToConnect(String?, CBError.Code?)
    case disconnected(String?, CBError.Code?)
    case services(Int, String?)
    case included(String, String?)
    case characteristics(String, String?)
    case descriptors(String, String?)
    case value(String, String)
    case valueError(String, Int)
    case descriptorValue(String)
    case written(String, Int)
    case descriptorWritten(String, Int)
    case notifying(String, Bool, Int)
    case rssi(Int)
    case rssiError(Int)
    case ready
    case modified([String])
    case name(String?)
  }

  let queue = DispatchQueue(label: "central program")
  private(set) var manager: CBCentralManager!
  var events: [Event] = []
  /// The preserved state of an earlier process.
  var restored: [String: Any] = [:]
  var sightings: [Sighting] = []
  var values: [Data] = []
  /// Peripherals that the program retains; others are released.
  var kept: [CBPeripheral] = []
  /// Called first in each callback, for programs that act from within.
  var onDiscover: ((CBPeripheral, [String: Any]) -> Void)?
  var onConnect: ((CBPeripheral) -> Void)?
  var onDisconnect: ((CBPeripheral, (any Error)?) -> Void)?
  var onValue: ((CBPeripheral, CBCharacteristic) -> Void)?
  var onNotificationState: ((CBPeripheral, CBCharacteristic) -> Void)?
  var onWrite: ((CBPeripheral, CBCharacteristic, (any Error)?) -> Void)?
  var onReady: ((CBPeripheral) -> Void)?

  init(options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  var names: [String] { sightings.compactMap(\.name) }

  func sighting(named name: String) -> CBPeripheral? { sightings.first { $0.name == name }?.peripheral }

  func service(_ uuid: String, of peripheral: CBPeripheral) -> CBService? {
    peripheral.services?.first { $0.uuid == CBUUID(string: uuid) }
  }

  func characteristic(_ uuid: String, of peripheral: CBPeripheral) -> CBCharacteristic? {
    for service in peripheral.services ?? [] {
      if let found = service.characteristics?.first(where: { $0.uuid == CBUUID(string: uuid) }) { return found }
    }
    return nil
  }
}

private func code(_ error: (any Error)?) -> CBError.Code? { (error as? CBError)?.code }
private func number(_ error: (any Error)?) -> Int { (error as NSError?)?.code ?? 0 }
private func text(_ error: (any Error)?) -> String? { error?.localizedDescription }

extension CentralProgram: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { events.append(.state(central.state)) }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    events.append(.restored)
    restored = dict
    let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    for peripheral in peripherals { peripheral.delegate = self }
    kept += peripherals
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    sightings.append(Sighting(peripheral: peripheral, advertisement: advertisementData, rssi: RSSI.intValue))
    onDiscover?(peripheral, advertisementData)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    events.append(.connected(peripheral.name))
    onConnect?(peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    events.append(.failedToConnect(peripheral.name, code(error)))
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    events.append(.disconnected(peripheral.name, code(error)))
    onDisconnect?(peripheral, error)
  }
}

extension CentralProgram: CBPeripheralDelegate {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { events.append(.name(peripheral.name)) }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    events.append(.modified(invalidatedServices.map(\.uuid.uuidString)))
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    events.append(error == nil ? .rssi(RSSI.intValue) : .rssiError(number(error)))
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    events.append(.services(peripheral.services?.count ?? -1, text(error)))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {
    events.append(.included(service.uuid.uuidString, text(error)))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    events.append(.characteristics(service.uuid.uuidString, text(error)))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    events.append(.descriptors(characteristic.uuid.uuidString, text(error)))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if let error {
      events.append(.valueError(characteristic.uuid.uuidString, number(error)))
    } else {
      let value = characteristic.value ?? Data()
      values.append(value)
      events.append(.value(characteristic.uuid.uuidString, String(decoding: value, as: UTF8.self)))
    }
    onValue?(peripheral, characteristic)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    events.append(.descriptorValue(descriptor.uuid.uuidString))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    events.append(.written(characteristic.uuid.uuidString, number(error)))
    onWrite?(peripheral, characteristic, error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    events.append(.descriptorWritten(descriptor.uuid.uuidString, number(error)))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    events.append(.notifying(characteristic.uuid.uuidString, characteristic.isNotifying, number(error)))
    onNotificationState?(peripheral, characteristic)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    events.append(.ready)
    onReady?(peripheral)
  }
}
