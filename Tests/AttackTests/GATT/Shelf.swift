import BLETestKit
import CoreBluetooth

/// A program in the peripheral role, called `Shelf`: FF31 has a fixed value, FF32 a dynamic value that can be read, written,
/// notified and indicated.
///
/// `@unchecked Sendable`: callbacks come on the serial queue, and the tests look only while the world is not running.
final class Shelf: NSObject, @unchecked Sendable, CBPeripheralManagerDelegate {
  /// The handles of the two values, and of the second one's client configuration, as octets.
  static let fixed = "1200"
  static let own = "1400"
  static let configuration = "1500"
  /// The answer to a Read Request for the fixed value.
  static let fixedAnswer = ["0b" + Array("shelf".utf8).hexadecimal]

  private(set) var manager: CBPeripheralManager!
  let characteristic = CBMutableCharacteristic(
    type: CBUUID(string: "FF32"), properties: [.read, .write, .writeWithoutResponse, .notify, .indicate], value: nil,
    permissions: [.readable, .writeable])
  /// The value that is read.
  var value = Data("own".utf8)
  /// Whether requests are answered immediately.
  var answers = true
  private(set) var waiting: [CBATTRequest] = []
  /// Each write, its parts one after the other: offset and octets.
  private(set) var writes: [[(offset: Int, value: [UInt8])]] = []
  private(set) var subscribers: [UUID] = []
  /// How many times it was ready to update subscribers.
  private(set) var readyCount = 0
  private(set) var isAdvertising = false

  init(options: [String: Any]) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "shelf"), options: options)
  }

  @discardableResult
  func update(_ text: String) -> Bool {
    manager.updateValue(Data(text.utf8), for: characteristic, onSubscribedCentrals: nil)
  }

  func forgetWrites() { writes = [] }

  /// Answers all pending requests.
  func answerWaiting() {
    let requests = waiting
    waiting = []
    for request in requests { answer(request) }
  }

  private func answer(_ request: CBATTRequest) {
    guard request.value == nil else { return manager.respond(to: request, withResult: .success) }
    guard request.offset <= value.count else { return manager.respond(to: request, withResult: .invalidOffset) }
    request.value = value.dropFirst(request.offset)
    manager.respond(to: request, withResult: .success)
  }

  /// Publishes one more service, or removes it.
  func add(_ service: CBMutableService) { manager.add(service) }
  func remove(_ service: CBMutableService) { manager.remove(service) }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    isAdvertising = false
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "FF30"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "FF31"), properties: .read, value: Data("shelf".utf8), permissions: .readable),
      characteristic,
    ]
    peripheral.add(service)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if !isAdvertising { peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Shelf"]) }
  }
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    isAdvertising = error == nil
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    if answers { answer(request) } else { waiting.append(request) }
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    writes.append(requests.map { ($0.offset, [UInt8]($0.value ?? Data())) })
    guard let first = requests.first else { return }
    if answers { peripheral.respond(to: first, withResult: .success) } else { waiting.append(first) }
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { subscribers.append(central.identifier) }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) { subscribers.removeAll { $0 == central.identifier } }
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { readyCount += 1 }
}

/// A world with the shelf in it, and hostile centrals that are connected to it.
struct AttackedShelf {
  let world: World
  let device: Device
  let program: Shelf
  let attackers: [HostileDevice]
  var attacker: HostileDevice { attackers[0] }

  static func start(attackers count: Int = 1) async throws -> AttackedShelf {
    let world = World()
    let device = world.makeDevice("victim")
    let program = Shelf(options: device.options)
    let attackers = (1...count).map { HostileDevice(world, address: HostileDevice.address(UInt64($0))) }
    try await world.wait(within: .seconds(5)) { program.isAdvertising }
    let scene = AttackedShelf(world: world, device: device, program: program, attackers: attackers)
    for attacker in attackers { try await scene.connect(attacker) }
    return scene
  }

  func connect(_ attacker: HostileDevice) async throws {
    attacker.connect(to: device.address)
    try await world.wait(within: .seconds(10)) { attacker.isConnected }
    await world.advance(by: .milliseconds(100))
  }

  func disconnect(_ attacker: HostileDevice) async throws {
    attacker.disconnect()
    try await world.wait(within: .seconds(5)) { !attacker.isConnected }
    await world.advance(by: .seconds(1))
  }

  /// Whether the attacker's link is still served.
  func serves(_ attacker: HostileDevice) async -> Bool { await attacker.ask("0a" + Shelf.fixed) == Shelf.fixedAnswer }

  /// Sends PDUs one right after the other. Returns the answers until the link is quiet again.
  func flood(_ pdus: [[UInt8]], from attacker: HostileDevice) async -> [[UInt8]] {
    attacker.forgetWhatCame()
    for pdu in pdus { attacker.sendAttributePDU(pdu) }
    await world.advance(by: .milliseconds(200 + 15 * pdus.count / 2))
    return attacker.attributePDUs
  }
}
