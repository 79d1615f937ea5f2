import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLETransports
import Testing

@testable import BLEBlueZ

/// An adapter on the test's own bus, with centrals that record their callbacks.
final class BlueZFixture: Sendable {
  let bus: PrivateBus
  let stack: BlueZAdapter
  let recorder = CentralRecorder()
  private let central: LoopBound<any CentralRole>

  /// - Parameters:
  ///   - selector: which of the daemon's adapters.
  ///   - speed: how many seconds of the stack pass in a real one.
  init(
    on bus: PrivateBus, selector: String? = nil, log: Logger = .silent,
    channelSockets: any ChannelSockets = KernelChannels(), strengths: LoopBound<any LinkStrengths>? = nil,
    switches: [RadioSwitch] = [], scanRule: ScanWatch.Rule = ScanWatch.Rule(), speed: Int = 1
  ) async {
    self.bus = bus
    stack = BlueZAdapter(
      adapter: selector, on: bus.address, loop: DispatchStackLoop(speed: speed),
      peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 4)), log: log, channelSockets: channelSockets,
      strengths: strengths?.value, switches: { switches }, scanRule: scanRule)
    let (stack, recorder) = (stack, recorder)
    central = await Self.run(on: stack) { _ in LoopBound(stack.makeCentral(events: recorder)) }
    stack.start()
  }

  deinit { stack.shutDown {} }

  /// With a daemon whose adapter is switched on, and a device; waits until that is known.
  static func withDevice(
    channelSockets: any ChannelSockets = KernelChannels(), strengths: LoopBound<any LinkStrengths>? = nil,
    log: Logger = .silent, scanRule: ScanWatch.Rule = ScanWatch.Rule(), speed: Int = 1,
    _ fill: @escaping @Sendable (DaemonWorld) -> Void = { _ in }
  ) async throws -> (BlueZFixture, ScriptedDaemon) {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus) { world in
      world.addAdapter()
      world.addDevice()
      fill(world)
    }
    let fixture = await BlueZFixture(
      on: bus, log: log, channelSockets: channelSockets, strengths: strengths, scanRule: scanRule, speed: speed)
    await fixture.recorder.wait(for: "state poweredOn")
    return (fixture, daemon)
  }

  private static func run<Result: Sendable>(
    on stack: BlueZAdapter, _ body: @escaping @Sendable (BlueZAdapter) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      stack.onLoop { continuation.resume(returning: body($0)) }
    }
  }

  /// Runs `body` on the adapter's loop.
  @discardableResult
  func run<Result: Sendable>(_ body: @escaping @Sendable (any CentralRole) -> Result) async -> Result {
    let central = central
    return await Self.run(on: stack) { _ in body(central.value) }
  }

  var counters: AdapterCounters { get async { await Self.run(on: stack) { $0.counters } } }

  /// The scripted device as a peer.
  var peer: KnownPeer { get throws { try peer(at: ScriptedDaemon.address) } }

  /// The device with this random address as a peer.
  func peer(at address: String) throws -> KnownPeer {
    stack.directory.peer(at: try #require(DeviceAddress(address, kind: .random)))
  }

  /// Requests a link to the scripted device, or to another one.
  func connect(to address: String = ScriptedDaemon.address) async throws {
    let peer = try peer(at: address).identifier
    await run { $0.connect(peer, options: ConnectionOptions()) }
  }

  func cancel() async throws {
    let peer = try peer.identifier
    await run { $0.cancelConnection(peer) }
  }

  /// Connects, and waits for the link.
  func connected() async throws {
    try await connect()
    await recorder.wait(for: "connected \(ScriptedDaemon.address)")
  }

  /// The result of one operation on the link to the scripted device, or to another one.
  func result<Value: Sendable>(
    on address: String = ScriptedDaemon.address,
    _ ask: @escaping @Sendable (any PeerLink, @escaping (Result<Value, OperationError>) -> Void) -> Void
  ) async throws -> Result<Value, OperationError> {
    let peer = try peer(at: address).identifier
    let recorder = recorder
    return await withCheckedContinuation { continuation in
      stack.onLoop { _ in
        guard let link = recorder.links[peer] else { return continuation.resume(returning: .failure(.notConnected)) }
        ask(link) { continuation.resume(returning: $0) }
      }
    }
  }
}
