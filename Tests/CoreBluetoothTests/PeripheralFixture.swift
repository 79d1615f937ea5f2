import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

final class PeripheralRecorder: Recorder, CBPeripheralManagerDelegate, @unchecked Sendable {
  var centrals: [CBCentral] = []
  var onRead: ((CBPeripheralManager, CBATTRequest) -> Void)?
  var onWrite: ((CBPeripheralManager, [CBATTRequest]) -> Void)?

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { note("state \(peripheral.state.rawValue)") }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    note("advertising \(peripheral.isAdvertising)", error)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    note("added \(service.uuid.uuidString)", error)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    centrals.append(central)
    note("subscribed \((characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1)")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) { note("unsubscribed \((characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1)") }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    note("read \(request.offset)")
    onRead?(peripheral, request)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    note("writes " + requests.map { "\($0.offset):\(Array($0.value ?? Data()))" }.joined(separator: " "))
    onWrite?(peripheral, requests)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { note("ready") }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { note("published \(PSM)", error) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { note("unpublished \(PSM)", error) }
}

/// A program with a peripheral manager on a scripted stack.
struct PeripheralFixture {
  let adapter: ScriptedAdapter
  let recorder = PeripheralRecorder()
  let manager: CBPeripheralManager

  init(_ state: AdapterState = .poweredOn) async {
    adapter = ScriptedAdapter(state)
    manager = CBPeripheralManager(delegate: recorder, queue: recorder.queue, options: adapter.options)
    await adapter.settle()
    recorder.clear()
  }

  /// FF22, answered by the program.
  static func dynamic() -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: "FF22"), properties: [.read, .write, .notify], value: nil,
      permissions: [.readable, .writeable])
  }

  /// FF11 with `characteristic`.
  static func service(_ characteristic: CBMutableCharacteristic) -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: "FF11"), primary: true)
    service.characteristics = [characteristic]
    return service
  }

  @discardableResult
  func publish() async throws -> CBMutableCharacteristic {
    let characteristic = Self.dynamic()
    manager.add(Self.service(characteristic))
    await adapter.settle()
    try #require(recorder.told == ["added FF11"])
    recorder.clear()
    return characteristic
  }

  func read(offset: Int) async {
    let identifier = adapter.peripheral.characteristic.identifier
    await adapter.peripheral.tell {
      $0.peripheral(
        didReceiveRead: TransactionIdentifier(rawValue: UInt64(offset)), of: identifier, offset: offset, from: .first)
    }
  }
}
