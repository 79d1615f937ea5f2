import CoreBluetooth

/// Sends a thousand notifications, and waits whenever the queue is full.
final class NotifyingCounter: NSObject, Program, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager!
  private var next = 0
  private var fullCount = 0
  private var subscriber: CBCentral?
  private let characteristic = CBMutableCharacteristic(
    type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: .readable)

  func run(on stage: any Stage) async throws {
    manager = CBPeripheralManager(
      delegate: self, queue: DispatchQueue(label: "counter"), options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    link.peripheral?.setNotifyValue(true, for: try unwrap(link.characteristic("2A37")))
    try await stage.wait(120) { link.values.count == 1000 }
    let numbers = link.values.map { Int($0[0]) << 8 | Int($0[1]) }
    try check(numbers == Array(0..<1000) && fullCount > 0)
    try check(subscriber?.maximumUpdateValueLength ?? 0 >= 20)
    try check(characteristic.subscribedCentrals == [try unwrap(subscriber)])
  }

  private func send() {
    while next < 1000 {
      let value = Data([UInt8(next >> 8), UInt8(next & 0xFF)])
      guard manager.updateValue(value, for: characteristic, onSubscribedCentrals: subscriber.map { [$0] }) else {
        fullCount += 1
        return
      }
      next += 1
    }
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    service.characteristics = [characteristic]
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")]])
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    subscriber = central
    send()
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }
}
