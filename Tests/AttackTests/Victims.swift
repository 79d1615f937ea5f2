import BLECore
import BLEPairing
import BLETestKit
import CoreBluetooth
import Synchronization
import TestSupport

extension PeripheralApp {
  /// Called `Safe`: FF31 only over an encrypted link, FF32 for everybody, FF33 takes signed commands.
  static func safe(_ options: [String: Any]) -> PeripheralApp {
    let secret = CBMutableCharacteristic(
      "FF31", [.read, .write, .writeWithoutResponse, .notifyEncryptionRequired],
      [.readEncryptionRequired, .writeEncryptionRequired])
    let open = CBMutableCharacteristic("FF32", [.read, .write, .notify], [.readable, .writeable])
    let signed = CBMutableCharacteristic("FF33", .authenticatedSignedWrites, .writeable)
    let app = PeripheralApp(
      options, services: [CBMutableService("FF30", [secret, open, signed])],
      advertisement: [CBAdvertisementDataLocalNameKey: "Safe"])
    app.values = [secret.uuid: Data("secret".utf8), open.uuid: Data("open".utf8)]
    return app
  }

  /// Sends a text to all subscribers of FF31 and of FF32.
  func notify(_ text: String) { for uuid in ["FF31", "FF32"] { push(Data(text.utf8), uuid) } }

  /// What was written, as texts.
  var texts: [String] { batches.joined().map { String(decoding: $0.value ?? Data(), as: UTF8.self) } }
}

extension CentralApp {
  /// Looks for `name` at once, and walks.
  convenience init(_ options: [String: Any], seeking name: String, discovering depth: Depth = .characteristics) {
    self.init(options)
    seek(name, discovering: depth)
  }

  func writeCommand(_ text: String, to uuid: String) { write(Data(text.utf8), to: uuid, type: .withoutResponse) }
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
  let program: PeripheralApp
  let attacker: HostileDevice

  /// - Parameters:
  ///   - folder: the victim's, for keys and peers; `nil`: it keeps them in memory.
  ///   - address: the hostile central's.
  static func start(
    in world: World = World(), keepingPeersIn folder: String? = nil, policy: SecurityPolicy = SecurityPolicy(),
    address: DeviceAddress = HostileDevice.address(1), _ prepare: (HostileDevice) -> Void = { _ in }
  ) async throws -> AttackedPeripheral {
    let device = folder.map { world.makeDevice("victim", keepingPeersIn: $0) } ?? world.makeDevice("victim")
    device.setSecurityPolicy(policy)
    let program = PeripheralApp.safe(device.options)
    let attacker = HostileDevice(world, address: address)
    prepare(attacker)
    try await world.wait(within: .seconds(5)) { program.manager.isAdvertising }
    let scene = AttackedPeripheral(world: world, device: device, program: program, attacker: attacker)
    try await scene.connect()
    return scene
  }

  func connect() async throws {
    try await attacker.link(to: device.address, within: .seconds(5))
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
  let program: CentralApp
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
    let program = CentralApp(device.options, seeking: "Hostile")
    try await world.wait(within: .seconds(10)) { program.isWalked }
    return AttackedCentral(world: world, device: device, program: program, attacker: attacker)
  }

  /// Reads a value that needs a pairing. Returns the value or the error.
  func read() async -> CentralApp.Event? {
    program.events = []
    program.read("FF31")
    await world.advance(by: .seconds(3))
    return program.events.last
  }
}
