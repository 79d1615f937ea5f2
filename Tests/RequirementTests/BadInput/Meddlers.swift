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
final class CentralMeddler: Listener, @unchecked Sendable {
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

  override func take(_ call: Call) {
    if case let found as CBPeripheral = call.arguments.dropFirst().first, !kept.contains(found) { kept.append(found) }
    precondition(!isMeddling, "called inside a call of its own")
    guard meddling.takeTurn(call.kind) else { return }
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

/// The same in the peripheral role.
///
/// `@unchecked Sendable`: as `CentralMeddler`.
final class PeripheralMeddler: Listener, @unchecked Sendable {
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

  override func take(_ call: Call) {
    switch call.arguments.dropFirst().first {
    case let state as CBManagerState where state == .poweredOn: manager.add(service)
    case let central as CBCentral where call.method.contains("didSubscribe"): centrals.append(central)
    case let request as CBATTRequest: requests.append(request)
    case let batch as [CBATTRequest]: requests += batch
    default: break
    }
    meddle(call.kind)
    switch call.arguments.dropFirst().first {
    case let request as CBATTRequest: manager.respond(to: request, withResult: .success)
    case let batch as [CBATTRequest]: for request in batch { manager.respond(to: request, withResult: .success) }
    default: break
    }
  }

  private func meddle(_ kind: String) {
    guard meddling.takeTurn(kind) else { return }
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

extension Listener.Call {
  /// The method: two of those about descriptors have the names of those about characteristics.
  fileprivate var kind: String {
    arguments.count > 1 && arguments[1] is CBDescriptor ? "descriptor: \(method)" : method
  }
}
