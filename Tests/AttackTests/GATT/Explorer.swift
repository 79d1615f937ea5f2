import BLETestKit
import CoreBluetooth

/// A program in the central role that discovers the whole database of the device named `name`, step by step, and records its
/// callbacks in words.
///
/// `@unchecked Sendable`: callbacks come on the serial queue, and the tests look only while the world is not running.
final class Explorer: NSObject, @unchecked Sendable, CBCentralManagerDelegate, CBPeripheralDelegate {
  private(set) var manager: CBCentralManager!
  private let name: String
  private(set) var peripheral: CBPeripheral?
  /// What happened, without the discovered objects.
  private(set) var log: [String] = []
  /// Steps of the discovery that are still unanswered, and whether all of it succeeded.
  private(set) var openSteps = 0
  private(set) var isWalkSound = false
  /// Whether a change of the peer's services leads to another discovery, as in most programs.
  var walksAgain = false

  init(options: [String: Any], lookingFor name: String) {
    self.name = name
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "explorer"), options: options)
  }

  func forget() { log = [] }
  func connect() {
    if let peripheral { manager.connect(peripheral) }
  }
  func disconnect() {
    if let peripheral { manager.cancelPeripheralConnection(peripheral) }
  }

  func characteristic(_ uuid: String) -> CBCharacteristic? {
    for service in peripheral?.services ?? [] {
      if let found = service.characteristics?.first(where: { $0.uuid == CBUUID(string: uuid) }) { return found }
    }
    return nil
  }

  func read(_ uuid: String) {
    if let characteristic = characteristic(uuid) { peripheral?.readValue(for: characteristic) }
  }
  func write(_ value: Data, to uuid: String, type: CBCharacteristicWriteType = .withResponse) {
    if let characteristic = characteristic(uuid) { peripheral?.writeValue(value, for: characteristic, type: type) }
  }
  func notify(_ isOn: Bool, _ uuid: String) {
    if let characteristic = characteristic(uuid) { peripheral?.setNotifyValue(isOn, for: characteristic) }
  }

  /// Whether the discovery has ended.
  var isDone: Bool { openSteps == 0 && (isWalkSound || log.contains { $0.contains("error") }) }

  func walk() {
    openSteps = 1
    isWalkSound = true
    peripheral?.discoverServices(nil)
  }

  private func note(_ text: String, _ error: (any Error)?) {
    guard let error = error as NSError? else {
      if !text.isEmpty { log.append(text) }
      return
    }
    log.append((text.isEmpty ? "" : text + " ") + "error \(error.code)")
  }

  /// A step was answered and leads to `next` further ones.
  private func step(_ what: String, _ error: (any Error)?, next: Int) {
    openSteps += next - 1
    if error != nil {
      isWalkSound = false
      note(what, error)
    }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    // After a reset of its adapter it starts over.
    peripheral = nil
    (openSteps, isWalkSound) = (0, false)
    if central.state == .resetting { note("resetting", nil) }
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == name else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected", nil)
    walk()
  }
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { note("failed", error) }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    openSteps = 0
    note("disconnected", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    let services = error == nil ? peripheral.services ?? [] : []
    for service in services {
      peripheral.discoverIncludedServices(nil, for: service)
      peripheral.discoverCharacteristics(nil, for: service)
    }
    step("services", error, next: 2 * services.count)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { step("includes", error, next: 0) }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    let characteristics = error == nil ? service.characteristics ?? [] : []
    for characteristic in characteristics { peripheral.discoverDescriptors(for: characteristic) }
    step("characteristics", error, next: characteristics.count)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) { step("descriptors", error, next: 0) }
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note("modified", nil)
    if walksAgain { walk() }
  }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let value = error == nil ? " " + [UInt8](characteristic.value ?? Data()).hexadecimal : ""
    note(characteristic.uuid.uuidString + value, error)
  }
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note("wrote " + characteristic.uuid.uuidString, error) }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note((characteristic.isNotifying ? "on " : "off ") + characteristic.uuid.uuidString, error) }
}

/// A world with the explorer in it, and a hostile peripheral that it is connected to.
struct AttackedExplorer {
  let world: World
  let device: Device
  let program: Explorer
  let attacker: HostileDevice

  /// - Parameter server: the hostile device's regular server, whose answers `forgeAttribute` may replace.
  static func start(
    _ server: OpenServer = OpenServer(), _ prepare: (HostileDevice) -> Void = { _ in }
  ) async throws -> AttackedExplorer {
    let world = World()
    let device = world.makeDevice("victim")
    let attacker = HostileDevice(world, address: HostileDevice.address(1))
    attacker.server = server.gatt
    prepare(attacker)
    attacker.advertise("Hostile")
    let program = Explorer(options: device.options, lookingFor: "Hostile")
    let scene = AttackedExplorer(world: world, device: device, program: program, attacker: attacker)
    try await world.wait(within: .seconds(60)) { program.isDone }
    return scene
  }

  /// A new link, and another discovery on it.
  func reconnect() async throws {
    let count = attacker.connectionCount
    program.disconnect()
    try await world.wait(within: .seconds(10)) { [attacker] in !attacker.isConnected }
    await world.advance(by: .milliseconds(500))
    attacker.forgetWhatCame()
    program.forget()
    program.connect()
    try await world.wait(within: .seconds(60)) { [attacker, program] in
      attacker.connectionCount > count && program.log.first == "connected" && program.isDone
    }
  }
}
