import CoreBluetooth

/// A peripheral as an app developer writes it, that does one thing as fast as it is let.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`; the benchmarks look only while the world stands still.
final class PeripheralProgram: NSObject, @unchecked Sendable {
  private(set) var manager: CBPeripheralManager!
  private let services: [CBMutableService]
  private let name: String
  private let readValue: Data
  /// Writes that came.
  private(set) var written = 0
  private(set) var isAdvertising = false
  private(set) var subscribers = 0
  private var toNotify: (characteristic: CBMutableCharacteristic, value: Data, left: Int)?

  init(
    _ name: String, queue: DispatchQueue, options: [String: Any], services: [CBMutableService],
    readValue: Data = Data()
  ) {
    self.name = name
    self.services = services
    self.readValue = readValue
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  /// Notifies `value` so many times, as fast as the queue takes them.
  func notify(_ value: Data, of characteristic: CBMutableCharacteristic, times: Int) {
    toNotify = (characteristic, value, times)
    push()
  }

  private func push() {
    guard let (characteristic, value, left) = toNotify else { return }
    var remaining = left
    while remaining > 0, manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil) { remaining -= 1 }
    toNotify = remaining > 0 ? (characteristic, value, remaining) : nil
  }
}

extension PeripheralProgram: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    services.forEach(peripheral.add)
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    isAdvertising = error == nil
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    subscribers += 1
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = readValue
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    written += requests.count
    peripheral.respond(to: requests[0], withResult: .success)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { push() }
}
