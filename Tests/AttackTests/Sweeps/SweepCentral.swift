import BLETestKit
import CoreBluetooth

/// A program in the central role that records every callback, in words, in one ledger.
///
/// `@unchecked Sendable`: callbacks come on the serial queue, and the tests look only while the world is not running.
final class SweepCentral: NSObject, @unchecked Sendable {
  private(set) var manager: CBCentralManager!
  private(set) var found: CBPeripheral?
  private(set) var isWalked = false
  private(set) var channels: [CBL2CAPChannel] = []
  /// Since `startLedger`.
  private(set) var ledger: [String] = []
  private var isKept = false
  /// Disconnects within the callback after which the ledger has this many lines.
  private var leavesAfter: Int?
  /// Whether it discovers the peripheral's database as soon as it is connected.
  var walks = true

  init(_ device: Device) {
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: DispatchQueue(label: "swept central"), options: device.options)
  }

  func startLedger(leavingAfter count: Int? = nil) {
    ledger = []
    isKept = true
    leavesAfter = count
  }

  /// Peripherals that an earlier process of this program found, or this one before its controller failed.
  func meetAgain(_ identifier: UUID) {
    found = manager.retrievePeripherals(withIdentifiers: [identifier]).first
    found?.delegate = self
  }

  func connect() {
    guard let found else { return }
    isWalked = false
    manager.connect(found)
  }

  func leave() { if let found { manager.cancelPeripheralConnection(found) } }

  func characteristic(_ uuid: String) -> CBCharacteristic? {
    let all = (found?.services ?? []).flatMap { $0.characteristics ?? [] }
    return all.first { $0.uuid == CBUUID(string: uuid) }
  }

  /// Does something with the peripheral and one of its characteristics.
  func with(_ uuid: String, _ body: (CBPeripheral, CBCharacteristic) -> Void) {
    if let found, let characteristic = characteristic(uuid) { body(found, characteristic) }
  }

  func withService(_ body: (CBPeripheral, CBService) -> Void) {
    guard let found, let service = found.services?.first(where: { $0.uuid == CBUUID(string: "FF50") }) else { return }
    body(found, service)
  }

  func withDescriptor(_ body: (CBPeripheral, CBDescriptor) -> Void) {
    guard let found, let descriptor = characteristic("FF51")?.descriptors?.first else { return }
    body(found, descriptor)
  }

  private func note(_ entry: String, _ error: (any Error)? = nil) {
    guard isKept else { return }
    ledger.append(error.map { "\(entry) error \(($0 as NSError).code)" } ?? entry)
    if ledger.count == leavesAfter { leave() }
  }
}

extension SweepCentral: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    note("state")
    if central.state == .poweredOn, found == nil { central.scanForPeripherals(withServices: nil) }
  }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    guard found == nil, name == SweepPeripheral.name else { return }
    found = peripheral
    peripheral.delegate = self
    central.stopScan()
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected")
    if walks { peripheral.discoverServices(nil) }
  }
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { note("failed", error) }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { note("disconnected", error) }
}

extension SweepCentral: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note("services", error)
    if !walks { return }
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { note("included \(service.uuid)", error) }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    note("characteristics \(service.uuid)", error)
    guard walks, service.uuid == CBUUID(string: "FF50"), let described = characteristic("FF51") else { return }
    peripheral.discoverDescriptors(for: described)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("descriptors \(characteristic.uuid)", error)
    if walks { isWalked = true }
    walks = false
  }
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note("modified \(invalidatedServices.map(\.uuid.uuidString).joined(separator: " "))")
  }
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) { note("rssi", error) }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("value \(characteristic.uuid)\(error == nil ? " \(characteristic.value?.count ?? -1)" : "")", error)
  }
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("descriptor value \(descriptor.uuid.uuidString)", error)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("written \(characteristic.uuid)", error) }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("notifying \(characteristic.uuid) \(characteristic.isNotifying)", error) }
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    if let channel { channels.append(channel) }
    note("channel", error)
  }
}
