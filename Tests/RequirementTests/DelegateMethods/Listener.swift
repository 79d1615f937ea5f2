import CoreBluetooth
import Testing

/// A delegate with every method of the three protocols, which records each call under the method's name.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
class Listener: NSObject, @unchecked Sendable {
  struct Call {
    let method: String
    let arguments: [Any]
    var error: (any Error)? { arguments.last as? any Error }
    func argument<Value>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
      try #require(arguments[index] as? Value)
    }
  }

  let queue = DispatchQueue(label: "listener")
  private(set) var calls: [Call] = []
  /// Called at each call of that method, after it was recorded.
  var reactions: [String: (Call) -> Void] = [:]

  /// Records a call. A delegate that does something else with its calls overrides this.
  func take(_ call: Call) {
    calls.append(call)
    reactions[call.method]?(call)
  }

  /// A missing error is an argument as well: `nil` as `Any`.
  fileprivate func note(_ arguments: Any..., method: String = #function) {
    take(Call(method: method, arguments: arguments))
  }

  func calls(of method: String) -> [Call] { calls.filter { $0.method == method } }

  /// The one call of `method` since the last `forget()`.
  func only(_ method: String) throws -> Call {
    let found = calls(of: method)
    try #require(found.count == 1, "\(method) was called \(found.count) times")
    return found[0]
  }

  func forget() { calls = [] }
}

extension Listener: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { note(central, central.state) }
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) { note(central, dict) }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) { note(central, peripheral, advertisementData, RSSI) }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    note(central, peripheral, peripheral.state)
  }
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note(central, peripheral, peripheral.state, error as Any)
  }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { note(central, peripheral, peripheral.state, error as Any) }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) { note(central, peripheral, timestamp, isReconnecting, error as Any) }
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { note(central, event, peripheral) }
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    note(central, peripheral)
  }
}

extension Listener: CBPeripheralDelegate {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note(peripheral, peripheral.name as Any) }
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note(peripheral, invalidatedServices)
  }
  @available(*, deprecated)
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) { note(peripheral, error as Any) }
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note(peripheral, RSSI, error as Any)
  }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note(peripheral, error as Any)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { note(peripheral, service, error as Any) }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { note(peripheral, service, error as Any) }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(peripheral, characteristic, characteristic.value as Any, error as Any) }
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note(peripheral, characteristic, error as Any)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(peripheral, characteristic, characteristic.isNotifying, error as Any) }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(peripheral, characteristic, error as Any) }
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note(peripheral, descriptor, descriptor.value as Any, error as Any)
  }
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note(peripheral, descriptor, error as Any)
  }
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    note(peripheral, peripheral.canSendWriteWithoutResponse)
  }
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note(peripheral, channel as Any, error as Any)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  ) { note(peripheral, results as Any, error as Any) }
  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
    note(peripheral, error as Any)
  }
}

extension Listener: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { note(peripheral, peripheral.state) }
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    note(peripheral, dict)
  }
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    note(peripheral, peripheral.isAdvertising, error as Any)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    note(peripheral, service, error as Any)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    note(peripheral, central, characteristic, (characteristic as? CBMutableCharacteristic)?.subscribedCentrals as Any)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    note(peripheral, central, characteristic, (characteristic as? CBMutableCharacteristic)?.subscribedCentrals as Any)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    note(peripheral, request)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    note(peripheral, requests)
  }
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { note(peripheral) }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { note(peripheral, PSM, error as Any) }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { note(peripheral, PSM, error as Any) }
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note(peripheral, channel as Any, error as Any)
  }
}
