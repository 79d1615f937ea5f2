import BLETestKit
import CoreBluetooth

/// A central manager on a queue of its own, whose delegate notes what it is told.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`, and the tests look only while the world stands still.
final class Visitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "visitor")
  private(set) var manager: CBCentralManager!
  /// What was told, in few words.
  var told: [String] = []
  var errors: [any Error] = []
  var found: [CBPeripheral] = []
  var advertisements: [[String: Any]] = []
  /// Every value that came, read or notified.
  var values: [Data] = []

  init(_ options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  private func note(_ text: String, _ error: (any Error)? = nil) {
    if let error { errors.append(error) }
    told.append(text + (error.map { " error \(($0 as NSError).code)" } ?? ""))
  }

  /// Connects to the first device that `services` finds, and walks all of it.
  func connect(in world: World, services: [CBUUID]? = nil) async throws -> CBPeripheral {
    await world.settle()
    found = []
    manager.scanForPeripherals(withServices: services)
    try await world.wait(within: .seconds(10)) { !self.found.isEmpty }
    manager.stopScan()
    manager.connect(found[0])
    try await world.wait(within: .seconds(10)) { self.found[0].state == .connected }
    await discoverAll(found[0], in: world)
    return found[0]
  }

  func discoverAll(_ peripheral: CBPeripheral, in world: World) async {
    peripheral.discoverServices(nil)
    await world.settle()
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    await world.settle()
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state \(central.state.rawValue)") }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    found.append(peripheral)
    advertisements.append(advertisementData)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    note("connected")
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note("failed", error)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    note("disconnected", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if error == nil { values.append(characteristic.value ?? Data()) }
    note("value \(characteristic.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("written \(characteristic.uuid.uuidString)", error)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    note("notifying \(characteristic.isNotifying) \(characteristic.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note("modified \(invalidatedServices.map(\.uuid.uuidString).sorted().joined(separator: " "))")
  }
}

/// A device that publishes, and a phone that is connected to it and knows all it has.
struct Pair {
  let world: World
  let device: Device
  let phone: Device
  let publisher: Publisher
  let visitor: Visitor
  let peripheral: CBPeripheral

  /// - Parameter mtu: the longest ATT PDU that the device takes.
  static func start(_ services: [CBMutableService], mtu: Int = 517) async throws -> Pair {
    let world = World()
    let device = world.makeDevice("device")
    let phone = world.makeDevice("phone")
    device.setMaximumTransmissionUnit(mtu)
    let publisher = Publisher(device.options)
    let visitor = Visitor(phone.options)
    await world.settle()
    for service in services { publisher.manager.add(service) }
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    let peripheral = try await visitor.connect(in: world)
    publisher.told = []
    visitor.told = []
    return Pair(
      world: world, device: device, phone: phone, publisher: publisher, visitor: visitor, peripheral: peripheral)
  }

  func characteristic(_ uuid: String) throws -> CBCharacteristic {
    try characteristic(uuid, of: peripheral)
  }

  func characteristic(_ uuid: String, of peripheral: CBPeripheral) throws -> CBCharacteristic {
    for service in peripheral.services ?? [] {
      if let found = service.characteristics?.first(where: { $0.uuid == CBUUID(string: uuid) }) { return found }
    }
    throw Missing(what: uuid)
  }

  /// Another phone, connected as well.
  func join(_ name: String) async throws -> (visitor: Visitor, peripheral: CBPeripheral) {
    let visitor = Visitor(world.makeDevice(name).options)
    let peripheral = try await visitor.connect(in: world)
    visitor.told = []
    return (visitor, peripheral)
  }

  struct Missing: Error { let what: String }
}
