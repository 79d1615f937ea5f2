import BLETestKit
import CoreBluetooth
import TestSupport

/// A central app that finds `Swept`, and whose calls are the entries of a ledger.
///
/// `@unchecked Sendable`: callbacks come on the app's serial queue, and the tests look only while the world is not running.
final class SweepCentral: @unchecked Sendable {
  private let app: CentralApp
  private(set) var found: CBPeripheral?
  private(set) var isWalked = false
  /// Disconnects within the callback after which the ledger has this many lines.
  private var leavesAfter: Int?
  /// Whether it discovers the peripheral's database as soon as it is connected.
  var walks = true
  var channels: [CBL2CAPChannel] { app.channels }

  init(_ device: Device) {
    app = CentralApp(device.options)
    app.onSighting = { [unowned self] sighting in
      guard found == nil, sighting.name == SweepPeripheral.name else { return }
      found = sighting.peripheral
      sighting.peripheral.delegate = app
      app.manager.stopScan()
    }
    for kind in [
      "state", "connected", "failed", "disconnected", "services", "included", "characteristics", "descriptors",
      "modified", "rssi", "value", "descriptor", "wrote", "notifying", "opened",
    ] {
      app.reactions[kind] = { [unowned self] in called(kind) }
    }
  }

  /// The calls since `startLedger`, without names of peripherals, and with the lengths of values in their place.
  var ledger: [String] {
    app.told.compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      let error = words.dropLast().last == "error" ? words.suffix(2) : []
      switch words[0] {
      case "name", "ready": return nil
      case "state", "connected", "failed", "disconnected", "rssi": return ([words[0]] + error).joined(separator: " ")
      case "value" where error.isEmpty: return "value \(words[1]) \((words.dropFirst(2).first?.count ?? 0) / 2)"
      default: return line
      }
    }
  }

  func startLedger(leavingAfter count: Int? = nil) {
    app.forget()
    leavesAfter = count
  }

  /// Peripherals that an earlier process of this program found, or this one before its controller failed.
  func meetAgain(_ identifier: UUID) {
    found = app.manager.retrievePeripherals(withIdentifiers: [identifier]).first
    found?.delegate = app
  }

  func connect() {
    guard let found else { return }
    isWalked = false
    app.manager.connect(found)
  }

  func leave() { if let found { app.manager.cancelPeripheralConnection(found) } }

  /// Does something with the peripheral and one of its characteristics.
  func with(_ uuid: String, _ body: (CBPeripheral, CBCharacteristic) -> Void) {
    if let found, let characteristic = app.characteristic(uuid, of: found) { body(found, characteristic) }
  }

  func withService(_ body: (CBPeripheral, CBService) -> Void) {
    if let found, let service = app.service("FF50", of: found) { body(found, service) }
  }

  func withDescriptor(_ body: (CBPeripheral, CBDescriptor) -> Void) {
    with("FF51") { found, characteristic in
      if let descriptor = characteristic.descriptors?.first { body(found, descriptor) }
    }
  }

  private func called(_ kind: String) {
    if ledger.count == leavesAfter { leave() }
    switch kind {
    case "state":
      if app.manager.state == .poweredOn, found == nil { app.manager.scanForPeripherals(withServices: nil) }
    case "connected" where walks: found?.discoverServices(nil)
    case "services" where walks:
      for service in found?.services ?? [] { found?.discoverCharacteristics(nil, for: service) }
    case "characteristics" where walks && app.told.last == "characteristics FF50":
      with("FF51") { $0.discoverDescriptors(for: $1) }
    case "descriptors" where walks: (isWalked, walks) = (true, false)
    default: break
    }
  }
}
