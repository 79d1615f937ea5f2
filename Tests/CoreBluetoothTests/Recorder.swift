import BLECore
import CoreBluetooth
import Synchronization

/// A delegate of everything that records its calls, and retains the objects.
///
/// `@unchecked Sendable`: it is called on one queue, and the test looks at it between two runs of the loop.
class Recorder: NSObject, @unchecked Sendable {
  let queue = DispatchQueue(label: "program")
  var told: [String] = []
  var errors: [any Error] = []
  /// Called inside the next call of that name.
  var reactions: [String: () -> Void] = [:]

  func note(_ text: String, _ error: (any Error)? = nil) {
    told.append(text)
    if let error { errors.append(error) }
    let name = String(text.prefix { $0 != " " })
    if let reaction = reactions.removeValue(forKey: name) { reaction() }
  }

  func clear() {
    told = []
    errors = []
  }

  var codes: [Int] { errors.map { ($0 as NSError).code } }
}

final class CentralRecorder: Recorder, @unchecked Sendable {
  var found: [CBPeripheral] = []
  var advertisements: [[String: Any]] = []
  var invalidated: [CBService] = []
  var states: [CBPeripheralState] = []
}

extension CentralRecorder: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state \(central.state.rawValue)") }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    found.append(peripheral)
    advertisements.append(advertisementData)
    note("discovered \(peripheral.name ?? "-") \(RSSI)")
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    states.append(peripheral.state)
    note("connected")
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    states.append(peripheral.state)
    note("failed", error)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    states.append(peripheral.state)
    note("disconnected", error)
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { note("event \(event.rawValue)") }
}

extension CentralRecorder: CBPeripheralDelegate {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name \(peripheral.name ?? "-")") }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    invalidated = invalidatedServices
    note("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note("rssi \(RSSI)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { note("services", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { note("included", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { note("characteristics", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("value \(characteristic.value.map { Array($0) } ?? [])", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("wrote", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("notifying \(characteristic.isNotifying)", error) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("descriptors", error) }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("descriptor \(descriptor.value.map { "\($0)" } ?? "-")", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("wroteDescriptor", error)
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    note("ready \(peripheral.canSendWriteWithoutResponse)")
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note("channel", error)
  }
}
