import BLECore
import BLEHost
import BLEPairing
import BLETestKit
import BLEWire
import TestSupport
import Testing

/// How the hostile device and its victim would pair.
enum CommandSweepKind: String, CaseIterable, Sendable {
  case legacyJustWorks, legacyPasskey, justWorks, passkey, comparison

  var isSecureConnections: Bool { self != .legacyJustWorks && self != .legacyPasskey }

  /// Of both sides.
  var capability: PairingCapability {
    switch self {
    case .legacyJustWorks, .justWorks: .noInputNoOutput
    case .legacyPasskey, .passkey: .keyboardOnly
    case .comparison: .displayYesNo
    }
  }
}

/// A victim in either role, and a hostile device that pairs with it correctly except for the inserted commands.
struct CommandSweepScene {
  enum Victim: String, CaseIterable, Sendable { case peripheral, central }

  static let passkey = "271828"

  let victim: Victim
  let world: World
  let device: Device
  let attacker: HostileDevice
  let agent: TestAgent
  private let asPeripheral: AttackedPeripheral?
  private let asCentral: AttackedCentral?

  /// - Parameter answers: whether the victim's user answers automatically.
  init(_ victim: Victim, _ kind: CommandSweepKind, answers: Bool = true) async throws {
    self.victim = victim
    var policy = SecurityPolicy(ioCapability: .init(rawValue: kind.capability.rawValue))
    policy.offersSecureConnections = kind.isSecureConnections
    policy.wantsAuthentication = kind.capability != .noInputNoOutput
    func prepare(_ attacker: HostileDevice) {
      attacker.behave(policy)
      attacker.respond = { question in
        if case .enterPasskey = question.kind { return .passkey(Self.passkey) }
        return question.needsAnswer ? .yes : nil
      }
    }
    agent = TestAgent(kind.capability) { if answers { Self.answer($0) } }
    var victimPolicy = SecurityPolicy()
    victimPolicy.offersSecureConnections = kind.isSecureConnections
    switch victim {
    case .peripheral:
      let scene = try await AttackedPeripheral.start(policy: victimPolicy, prepare)
      (asPeripheral, asCentral) = (scene, nil)
      (world, device, attacker) = (scene.world, scene.device, scene.attacker)
    case .central:
      let scene = try await AttackedCentral.start(policy: victimPolicy, prepare)
      (asPeripheral, asCentral) = (nil, scene)
      (world, device, attacker) = (scene.world, scene.device, scene.attacker)
    }
    device.setPairingAgent(agent)
  }

  static func answer(_ request: PairingRequest) {
    if request.kind == .enterPasskey { request.enter(passkey) } else { request.accept() }
  }

  /// The central of the two starts the pairing.
  func beginPairing() {
    switch victim {
    case .peripheral: attacker.pair()
    case .central: asCentral?.program.read("FF31")
    }
  }

  func pair() async {
    beginPairing()
    await world.advance(by: .seconds(4))
  }

  /// The link is made again, when no delay for another attempt is left.
  func reconnect() async throws {
    await world.advance(by: .seconds(40))
    if attacker.isConnected { attacker.disconnect() }
    await world.advance(by: .seconds(1))
    try await asPeripheral?.connect()
    if let program = asCentral?.program {
      program.connect()
      try await world.wait(within: .seconds(10)) { program.isWalked }
    }
    attacker.forgetWhatCame()
    asCentral?.program.events = []
  }

  /// Whether the hostile device has the victim's keys, in the victim's view.
  var isPaired: Bool { device.bonds.map(\.address) == [attacker.address] }

  /// Whether the link is sufficient for values that need encryption.
  func isOpenedUp() async -> Bool {
    switch victim {
    case .peripheral:
      return await attacker.ask("0a" + AttackedPeripheral.secret) != AttackedPeripheral.refusal("05")
    case .central: return asCentral?.program.events.contains(.value("FF31", "forged")) ?? false
    }
  }
}
