import BLEAdapter
import BLECore
import BLEPairing
import Synchronization
import Testing

@testable import BLEBlueZ

@Suite("The daemon's questions about pairings")
struct AgentTests {
  private static let device = TestPeripheral.device
  private static let other = TestPeripheral.otherDevice
  private static let agent = "/org/swift_corebluetooth/agent"

  /// The daemon's side. On its loop.
  private final class AgentManager: ExportedObject {
    let interfaces = ["org.bluez.AgentManager1"]
    var seen: [String] = []
    var sender = ""
    func handle(_ request: BusRequest) {
      sender = request.sender
      seen.append(([request.member] + request.arguments.dropFirst().compactMap(\.text)).joined(separator: " "))
      request.answer()
    }
  }

  /// On the loop of the program.
  private final class Environment: PairingEnvironment {
    let log = Logger.silent
    let loop: any StackLoop
    private(set) var bus: MessageBus?
    var used: Set<String> = []
    var offersProtectedValues = false
    init(_ bus: MessageBus) {
      self.bus = bus
      loop = bus.loop
    }
    func peer(of path: String) -> KnownPeer? {
      [AgentTests.device, AgentTests.other].firstIndex(of: path).map { TestPeripheral.known(UInt64($0 + 1)) }
    }
    func isUsed(_ device: String) -> Bool { used.contains(device) }
  }

  /// A program's agent that answers by a rule, and records the questions.
  private final class Agent: PairingAgent {
    let capability: PairingCapability
    private let state = Mutex((seen: [String](), held: [PairingRequest]()))
    private let rule: @Sendable (PairingRequest) -> PairingRequest.Answer?
    init(_ capability: PairingCapability, _ rule: @escaping @Sendable (PairingRequest) -> PairingRequest.Answer?) {
      self.capability = capability
      self.rule = rule
    }
    var seen: [String] { state.withLock { $0.seen } }
    var held: [PairingRequest] { state.withLock { $0.held } }
    func pairing(_ request: PairingRequest) {
      state.withLock {
        $0.seen.append("\(request.kind) \(request.occasion)")
        $0.held.append(request)
      }
      switch rule(request) {
      case .yes: request.accept()
      case .no: request.refuse()
      case .passkey(let digits): request.enter(digits)
      case nil: break
      }
    }
    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
      state.withLock { $0.seen.append("\(outcome)") }
    }
    func pairing(with peer: PairingPeer, typed keypress: PairingKeypress) {
      state.withLock { $0.seen.append("\(keypress)") }
    }
  }

  /// A daemon and a program with an agent that is registered with it.
  private struct Cast {
    let daemon: BusPeer
    let program: BusPeer
    let manager = LoopBound(AgentManager())
    let environment: LoopBound<Environment>
    let agent: LoopBound<BlueZAgent>
    let registration: LoopBound<BusRegistration>
    private let sender: String

    init(on bus: PrivateBus, _ answering: Agent) async throws {
      daemon = try BusPeer(on: bus, "daemon")
      program = try BusPeer(on: bus, "program")
      let manager = manager
      registration = try await daemon.run { LoopBound(try $0.export(manager.value, at: "/org/bluez")) }
      try await daemon.own("org.bluez")
      (environment, agent) = try await program.run { bus in
        let environment = Environment(bus)
        let agent = BlueZAgent(on: environment) { answering }
        agent.register()
        return (LoopBound(environment), LoopBound(agent))
      }
      // Calls of one program arrive in order.
      _ = await program.call("Ping", of: "org.freedesktop.DBus.Peer", at: "/org/bluez", on: "org.bluez")
      sender = try await daemon.run { _ in manager.value.sender }
    }

    func ask(_ member: String, _ arguments: [BusValue] = [.objectPath(AgentTests.device)]) async -> Result<
      [BusValue], BusError
    > {
      await daemon.call(member, of: "org.bluez.Agent1", at: AgentTests.agent, on: sender, arguments)
    }

    func look<Result: Sendable>(_ body: @escaping @Sendable (BlueZAgent, Environment) -> Result) async throws -> Result
    {
      let (agent, environment) = (agent, environment)
      return try await program.run { _ in body(agent.value, environment.value) }
    }
  }

  @Test(
    "I12.2 the agent is registered with the program's capabilities, is not the default, and is removed with the adapter"
  )
  func registration() async throws {
    let bus = try PrivateBus()
    let cast = try await Cast(on: bus, Agent(.keyboardDisplay) { _ in .yes })
    try await cast.look { agent, _ in
      agent.register()
      agent.stop()
    }
    _ = await cast.program.call("Ping", of: "org.freedesktop.DBus.Peer", at: "/org/bluez", on: "org.bluez")
    let manager = cast.manager
    #expect(
      try await cast.daemon.run { _ in manager.value.seen } == ["RegisterAgent KeyboardDisplay", "UnregisterAgent"])
  }

  @Test(
    "I12.2 each question reaches the program's agent in its own terms, with its cause, and the answer reaches the daemon"
  )
  func questions() async throws {
    let bus = try PrivateBus()
    let agent = Agent(.keyboardDisplay) { request in
      switch request.kind {
      case .enterPasskey: .passkey("012345")
      case .confirmJustWorks where request.occasion == .unasked: .no
      default: .yes
      }
    }
    let cast = try await Cast(on: bus, agent)
    let rejected = BusError.rejected
    #expect(await cast.ask("RequestAuthorization") == .failure(rejected))
    try await cast.look { _, environment in environment.offersProtectedValues = true }
    #expect(await cast.ask("RequestAuthorization") == .success([]))
    try await cast.look { _, environment in environment.used = [Self.device] }
    #expect(await cast.ask("RequestPasskey") == .success([.uint32(12345)]))
    try await cast.look { agent, environment in
      environment.used = []
      agent.begin(with: Self.device)
    }
    #expect(await cast.ask("RequestConfirmation", [.objectPath(Self.device), .uint32(42)]) == .success([]))
    try await cast.look { agent, _ in agent.ended(with: Self.device, nil) }
    #expect(await cast.ask("AuthorizeService", [.objectPath(Self.device), .string("110b")]) == .failure(rejected))
    #expect(await cast.ask("RequestPinCode") == .failure(rejected))
    // Invalid questions reach no agent.
    for arguments in [[], [.string("x")], [.objectPath("/org/bluez/hci0/dev_else")]] as [[BusValue]] {
      #expect(await cast.ask("RequestPasskey", arguments) == .failure(rejected))
    }
    guard case .failure = await cast.ask("RequestConfirmation", [.objectPath(Self.device), .uint32(1_000_000)]) else {
      return #expect(Bool(false))
    }
    let stranger = try BusPeer(on: bus, "stranger")
    try await cast.program.own("org.example.Program")
    let answer = await stranger.call(
      "RequestPasskey", of: "org.bluez.Agent1", at: Self.agent, on: "org.example.Program", [.objectPath(Self.device)])
    #expect(answer == .failure(BusError(BusError.accessDenied, "This object is for org.bluez only.")))
    // The end is said on the agent's queue.
    while agent.seen.count < 5 { await Task.yield() }
    #expect(
      agent.seen == [
        "confirmJustWorks unasked", "confirmJustWorks offered", "enterPasskey wanted", "compare(\"000042\") wanted",
        "paired(BLEPairing.PairingMethod.numericComparison, isBonded: true)",
      ])
  }

  @Test(
    "I12.2 a question that the daemon withdraws has ended, and a late answer does nothing; a passkey is shown until the end"
  )
  func cancelled() async throws {
    let bus = try PrivateBus()
    let agent = Agent(.keyboardDisplay) { _ in nil }
    let cast = try await Cast(on: bus, agent)
    async let waiting = cast.ask("RequestConfirmation", [.objectPath(Self.device), .uint32(7)])
    while agent.held.isEmpty { await Task.yield() }
    _ = await cast.ask("Cancel", [])
    #expect(await waiting == .failure(.canceled))
    let question = try #require(agent.held.first)
    #expect(question.isOver)
    question.accept()

    for entered in [0, 1, 2, 1] as [UInt16] {
      let shown = await cast.ask("DisplayPasskey", [.objectPath(Self.device), .uint32(123), .uint16(entered)])
      #expect(shown == .success([]))
    }
    while agent.seen.count < 6 { await Task.yield() }
    #expect(agent.held.last?.isOver == false)
    try await cast.look { agent, _ in agent.ended(with: Self.device, nil) }
    #expect(agent.held.last?.isOver == true)
    while agent.seen.count < 7 { await Task.yield() }
    #expect(
      agent.seen == [
        "compare(\"000007\") unasked", "failed(\"the pairing was cancelled\")", "displayPasskey(\"000123\") unasked",
        "digitEntered", "digitEntered", "digitErased",
        "paired(BLEPairing.PairingMethod.passkeyEntry, isBonded: true)",
      ])
  }

  @Test(
    "I12.2 a withdrawal ends the question that is open, and no passkey that is shown: that ends with its device's link")
  func withdrawn() async throws {
    let bus = try PrivateBus()
    let agent = Agent(.keyboardDisplay) { _ in nil }
    let cast = try await Cast(on: bus, agent)
    for (number, device) in [Self.device, Self.other].enumerated() {
      let shown = await cast.ask("DisplayPasskey", [.objectPath(device), .uint32(UInt32(number)), .uint16(0)])
      #expect(shown == .success([]))
    }
    while agent.held.count < 2 { await Task.yield() }
    // It has crossed the answer to a question: nothing is open.
    #expect(await cast.ask("Cancel", []) == .success([]))
    #expect(agent.held.map(\.isOver) == [false, false])

    async let waiting = cast.ask("RequestConfirmation", [.objectPath(Self.other), .uint32(7)])
    while agent.held.count < 3 { await Task.yield() }
    #expect(await cast.ask("Cancel", []) == .success([]))
    #expect(await waiting == .failure(.canceled))
    #expect(agent.held.map(\.isOver) == [false, true, true])

    try await cast.look { agent, _ in agent.linkEnded(with: Self.device, isPaired: false) }
    #expect(agent.held.map(\.isOver) == [true, true, true])
  }
}
