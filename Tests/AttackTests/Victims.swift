import BLEPairing
import BLETestKit
import CoreBluetooth
import Synchronization

/// A program in the central role: connects to the device named `name`, discovers, and reads the given values.
///
/// `@unchecked Sendable`: callbacks come on the serial queue, and the tests look only while the world is not running.
final class VictimCentral: NSObject, @unchecked Sendable, CBCentralManagerDelegate, CBPeripheralDelegate {
  enum Event: Equatable {
    case connected
    case failed(CBError.Code?)
    case disconnected(CBError.Code?)
    case value(String, String)
    case error(String, Int)
    case notifying(String, Bool)
  }

  private(set) var manager: CBCentralManager!
  private let name: String
  private(set) var peripheral: CBPeripheral?
  private(set) var isDiscovered = false
  var events: [Event] = []

  init(options: [String: Any], lookingFor name: String) {
    self.name = name
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "victim central"), options: options)
  }

  convenience init(_ device: Device, lookingFor name: String) { self.init(options: device.options, lookingFor: name) }

  func characteristic(_ uuid: String) -> CBCharacteristic? {
    for service in peripheral?.services ?? [] {
      if let found = service.characteristics?.first(where: { $0.uuid == CBUUID(string: uuid) }) { return found }
    }
    return nil
  }

  func connect() {
    guard let peripheral else { return }
    isDiscovered = false
    manager.connect(peripheral)
  }

  func read(_ uuid: String) {
    if let characteristic = characteristic(uuid) { peripheral?.readValue(for: characteristic) }
  }

  func writeCommand(_ text: String, to uuid: String) {
    guard let characteristic = characteristic(uuid) else { return }
    peripheral?.writeValue(Data(text.utf8), for: characteristic, type: .withoutResponse)
  }

  func subscribe(_ uuid: String) {
    if let characteristic = characteristic(uuid) { peripheral?.setNotifyValue(true, for: characteristic) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn, peripheral == nil { central.scanForPeripherals(withServices: nil) }
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
    events.append(.connected)
    peripheral.discoverServices(nil)
  }
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { events.append(.failed((error as? CBError)?.code)) }
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { events.append(.disconnected((error as? CBError)?.code)) }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { isDiscovered = true }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    if let error {
      events.append(.error(uuid, (error as NSError).code))
    } else {
      events.append(.value(uuid, String(decoding: characteristic.value ?? Data(), as: UTF8.self)))
    }
  }
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    let uuid = characteristic.uuid.uuidString
    if let error {
      events.append(.error(uuid, (error as NSError).code))
    } else {
      events.append(.notifying(uuid, characteristic.isNotifying))
    }
  }
}

/// A program in the peripheral role, called `Safe`: FF31 only over an encrypted link, FF32 unrestricted, FF33 accepts signed
/// commands.
///
/// `@unchecked Sendable`: as `VictimCentral`.
final class VictimPeripheral: NSObject, @unchecked Sendable, CBPeripheralManagerDelegate {
  private(set) var manager: CBPeripheralManager!
  let secret = CBMutableCharacteristic(
    type: CBUUID(string: "FF31"), properties: [.read, .write, .writeWithoutResponse, .notifyEncryptionRequired],
    value: nil, permissions: [.readEncryptionRequired, .writeEncryptionRequired])
  let open = CBMutableCharacteristic(
    type: CBUUID(string: "FF32"), properties: [.read, .write, .notify], value: nil,
    permissions: [.readable, .writeable])
  let signed = CBMutableCharacteristic(
    type: CBUUID(string: "FF33"), properties: [.authenticatedSignedWrites], value: nil, permissions: [.writeable])
  private(set) var writes: [String] = []
  private(set) var subscribers: [String] = []
  private(set) var isAdvertising = false

  init(options: [String: Any]) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "victim peripheral"), options: options)
  }

  convenience init(_ device: Device) { self.init(options: device.options) }

  func notify(_ text: String) {
    manager.updateValue(Data(text.utf8), for: secret, onSubscribedCentrals: nil)
    manager.updateValue(Data(text.utf8), for: open, onSubscribedCentrals: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "FF30"), primary: true)
    service.characteristics = [secret, open, signed]
    peripheral.add(service)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Safe"])
  }
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    isAdvertising = error == nil
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = Data((request.characteristic == secret ? "secret" : "open").utf8)
    peripheral.respond(to: request, withResult: .success)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    writes += requests.map { String(decoding: $0.value ?? Data(), as: UTF8.self) }
    peripheral.respond(to: requests[0], withResult: .success)
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { subscribers.append(characteristic.uuid.uuidString) }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) { subscribers.removeAll { $0 == characteristic.uuid.uuidString } }
}

/// Answers as configured, and records the requests.
final class TestAgent: PairingAgent {
  private struct State {
    var asked: [PairingRequest] = []
    var outcomes: [PairingOutcome] = []
    var capabilityChanges = 0
  }

  let capability: PairingCapability
  let wantsAuthentication: Bool
  private let answer: @Sendable (PairingRequest) -> Void
  private let state = Mutex(State())

  init(
    _ capability: PairingCapability = .noInputNoOutput, wantsAuthentication: Bool? = nil,
    _ answer: @escaping @Sendable (PairingRequest) -> Void = { $0.accept() }
  ) {
    self.capability = capability
    self.wantsAuthentication = wantsAuthentication ?? (capability != .noInputNoOutput)
    self.answer = answer
  }

  var asked: [PairingRequest] { state.withLock { $0.asked } }
  var outcomes: [PairingOutcome] { state.withLock { $0.outcomes } }
  var capabilityChanges: Int { state.withLock { $0.capabilityChanges } }

  func pairing(_ request: PairingRequest) {
    state.withLock { $0.asked.append(request) }
    answer(request)
  }
  func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
    state.withLock { $0.outcomes.append(outcome) }
  }
  func pairing(with peer: PairingPeer, changedFrom before: PairingCapability?, to now: PairingCapability?) {
    state.withLock { $0.capabilityChanges += 1 }
  }
}

/// A world with a peripheral program in it, and a hostile central that is connected to it.
struct AttackedPeripheral {
  let world: World
  let device: Device
  let program: VictimPeripheral
  let attacker: HostileDevice

  static func start(
    policy: SecurityPolicy = SecurityPolicy(), logLevel: LogLevel = .info,
    _ prepare: (HostileDevice) -> Void = { _ in }
  ) async throws -> AttackedPeripheral {
    let world = World(logLevel: logLevel)
    let device = world.makeDevice("victim")
    device.setSecurityPolicy(policy)
    let program = VictimPeripheral(device)
    let attacker = HostileDevice(world, address: HostileDevice.address(1))
    prepare(attacker)
    try await world.wait(within: .seconds(5)) { program.isAdvertising }
    let scene = AttackedPeripheral(world: world, device: device, program: program, attacker: attacker)
    try await scene.connect()
    return scene
  }

  func connect() async throws {
    attacker.connect(to: device.address)
    try await world.wait(within: .seconds(5)) { [attacker] in attacker.isConnected }
    await world.advance(by: .milliseconds(100))
  }

  func reconnect() async throws {
    attacker.disconnect()
    try await world.wait(within: .seconds(5)) { [attacker] in !attacker.isConnected }
    await world.advance(by: .seconds(1))
    try await connect()
  }

  /// The handle of the value of FF31. The service is the third of the database.
  static let secret = "1200"
  /// Error responses about FF31 to a Read Request.
  static func refusal(_ code: String) -> [String] { ["010a" + secret + code] }

  func pair() async {
    attacker.pair()
    await world.advance(by: .seconds(2))
  }
}

/// A world with a central program in it, and a hostile peripheral that it is connected to.
struct AttackedCentral {
  let world: World
  let device: Device
  let program: VictimCentral
  let attacker: HostileDevice

  static func start(
    policy: SecurityPolicy = SecurityPolicy(), _ prepare: (HostileDevice) -> Void = { _ in }
  ) async throws -> AttackedCentral {
    let world = World()
    let device = world.makeDevice("victim")
    device.setSecurityPolicy(policy)
    let attacker = HostileDevice(world, address: HostileDevice.address(1))
    attacker.server = HostileServer.make()
    attacker.behave()
    prepare(attacker)
    attacker.advertise("Hostile")
    let program = VictimCentral(device, lookingFor: "Hostile")
    try await world.wait(within: .seconds(10)) { program.isDiscovered }
    return AttackedCentral(world: world, device: device, program: program, attacker: attacker)
  }

  /// Reads a value that needs a pairing. Returns the value or the error.
  func read() async -> VictimCentral.Event? {
    program.events = []
    program.read("FF31")
    await world.advance(by: .seconds(3))
    return program.events.last
  }
}
