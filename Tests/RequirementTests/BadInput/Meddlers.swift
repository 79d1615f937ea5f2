import CoreBluetooth
import TestSupport

/// How many callbacks of each kind still call methods, so that each kind is exercised and the test ends.
struct Meddling {
  private let times: Int
  private var left: [String: Int] = [:]
  /// All that were received so far.
  private(set) var count = 0
  /// Which callbacks were received.
  var kinds: [String] { left.keys.sorted() }

  init(times: Int) { self.times = times }

  mutating func takeTurn(_ kind: String) -> Bool {
    let turns = left[kind] ?? times
    left[kind] = max(0, turns - 1)
    if turns == 0 { return false }
    count += 1
    return true
  }

  mutating func stop() { self = Meddling(times: 0) }
}

/// A central program that calls, from each callback, every method with every object it has.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world is not running.
final class CentralMeddler: NSObject, @unchecked Sendable {
  let queue = DispatchQueue(label: "meddler")
  private(set) var manager: CBCentralManager!
  var meddling: Meddling
  private var kept: [CBPeripheral] = []
  private var isMeddling = false

  /// - Parameter times: how many callbacks of each kind call methods.
  init(options: [String: Any], times: Int) {
    meddling = Meddling(times: times)
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  private func meddle(_ name: String = #function) {
    precondition(!isMeddling, "called inside a call of its own")
    guard meddling.takeTurn(name) else { return }
    isMeddling = true
    defer { isMeddling = false }
    manager.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    manager.stopScan()
    manager.scanForPeripherals(withServices: meddling.count % 2 == 0 ? nil : [CBUUID(string: "FFF0")])
    manager.registerForConnectionEvents(options: [.peripheralUUIDs: kept.map(\.identifier)])
    let known = manager.retrievePeripherals(withIdentifiers: kept.map(\.identifier))
    let connected = manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "FFF0")])
    manager.delegate = nil
    manager.delegate = self
    for peripheral in kept + known + connected { meddle(with: peripheral) }
  }

  private func meddle(with peripheral: CBPeripheral) {
    peripheral.delegate = self
    manager.connect(peripheral)
    // Sometimes everything is released.
    if meddling.count % 31 == 0 { manager.cancelPeripheralConnection(peripheral) }
    peripheral.readRSSI()
    peripheral.discoverServices(nil)
    _ = (peripheral.name, peripheral.state, peripheral.canSendWriteWithoutResponse, peripheral.description)
    _ = peripheral.maximumWriteValueLength(for: .withoutResponse)
    for service in peripheral.services ?? [] {
      peripheral.discoverIncludedServices(nil, for: service)
      peripheral.discoverCharacteristics(nil, for: service)
      for characteristic in service.characteristics ?? [] {
        peripheral.readValue(for: characteristic)
        peripheral.writeValue(Data("m".utf8), for: characteristic, type: .withResponse)
        peripheral.writeValue(Data("m".utf8), for: characteristic, type: .withoutResponse)
        peripheral.setNotifyValue(meddling.count % 5 != 0, for: characteristic)
        peripheral.discoverDescriptors(for: characteristic)
        for descriptor in characteristic.descriptors ?? [] {
          peripheral.readValue(for: descriptor)
          if descriptor.uuid != CBUUID(string: CBUUIDClientCharacteristicConfigurationString) {
            peripheral.writeValue(Data(), for: descriptor)
          }
        }
      }
    }
    peripheral.openL2CAPChannel(0x80)
  }
}

extension CentralMeddler: CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { meddle() }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    if !kept.contains(peripheral) { kept.append(peripheral) }
    meddle()
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { meddle() }
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    meddle()
  }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { meddle() }
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) { meddle() }
  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { meddle() }
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) { meddle() }
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) { meddle() }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { meddle() }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { meddle() }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { meddle() }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { meddle() }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { meddle("value") }
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    meddle("descriptor value")
  }
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { meddle("written") }
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    meddle("descriptor written")
  }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { meddle() }
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { meddle() }
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) { meddle() }
}

/// The same in the peripheral role.
///
/// `@unchecked Sendable`: as `CentralMeddler`.
final class PeripheralMeddler: NSObject, @unchecked Sendable {
  let queue = DispatchQueue(label: "peripheral meddler")
  private(set) var manager: CBPeripheralManager!
  var meddling: Meddling
  private let line = CBMutableCharacteristic(
    "FFF2", [.read, .write, .writeWithoutResponse, .notify], [.readable, .writeable])
  private let service = CBMutableService("FFF0")
  private var others: [CBMutableService] = []
  private var requests: [CBATTRequest] = []
  private var centrals: [CBCentral] = []

  init(options: [String: Any], times: Int) {
    meddling = Meddling(times: times)
    super.init()
    service.characteristics = [line]
    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
  }

  private func meddle(_ name: String = #function) {
    guard meddling.takeTurn(name) else { return }
    let other = CBMutableService(type: CBUUID(string: String(format: "%04X", 0xA000 + meddling.count)), primary: true)
    other.includedServices = [service]
    manager.add(other)
    others.append(other)
    if others.count > 2 { manager.remove(others.removeFirst()) }
    manager.stopAdvertising()
    manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "meddler", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ])
    manager.startAdvertising(nil)
    while manager.updateValue(Data("\(meddling.count)".utf8), for: line, onSubscribedCentrals: nil),
      line.subscribedCentrals?.isEmpty == false
    {}
    manager.updateValue(Data("\(meddling.count)".utf8), for: line, onSubscribedCentrals: centrals)
    for central in centrals { manager.setDesiredConnectionLatency(.low, for: central) }
    for request in requests {
      request.value = Data("meddled".utf8)
      manager.respond(to: request, withResult: .success)
      manager.respond(to: request, withResult: .unlikelyError)
    }
    manager.publishL2CAPChannel(withEncryption: false)
    manager.unpublishL2CAPChannel(0x80)
    _ = (manager.isAdvertising, manager.state, manager.description)
    manager.delegate = nil
    manager.delegate = self
    // Sometimes everything is removed and added again.
    if meddling.count % 29 == 0 {
      manager.removeAllServices()
      others = []
      manager.add(service)
    }
  }
}

extension PeripheralMeddler: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    if peripheral.state == .poweredOn { peripheral.add(service) }
    meddle()
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) { meddle() }
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) { meddle() }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    centrals.append(central)
    meddle()
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) { meddle() }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    requests.append(request)
    meddle()
    peripheral.respond(to: request, withResult: .success)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite batch: [CBATTRequest]) {
    requests += batch
    meddle()
    for request in batch { peripheral.respond(to: request, withResult: .success) }
  }
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { meddle() }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { meddle() }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { meddle() }
}
