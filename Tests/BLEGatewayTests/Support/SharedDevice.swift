import BLECore
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

/// A world with one device that counts, several gateways that hear it, and a broker. The gateways' leases go by the world's time, which
/// waits for the broker.
///
/// `@unchecked Sendable`: used by one test, one call after another.
final class SharedDevice: @unchecked Sendable {
  /// One gateway of the fleet, with its adapter.
  struct Member {
    let gateway: Gateway
    let adapter: Device
    let reports: Guarded<[LeaseReport]>
    let isConnected: Guarded<Bool>

    var holds: Bool { gateway.fleet?.runner.held == ["desk"] }
  }

  let world = World()
  let broker: TestBroker
  let subscriber: Subscriber
  let counter: PeripheralApp
  private let folder: TemporaryFolder
  private var members: [String: Member] = [:]
  /// Those whose link's queue stands still.
  private var hanging: [String: DispatchSemaphore] = [:]
  private(set) var counted = 0

  private static let step = Duration.milliseconds(25)

  init() async throws {
    folder = try TemporaryFolder()
    broker = try TestBroker()
    subscriber = Subscriber(broker.port, "#")
    try #require(await subscriber.connected())
    let lines = [CBMutableCharacteristic("FFF1", [.notify]), CBMutableCharacteristic("FFF2", [.write], .writeable)]
    counter = PeripheralApp("counter", on: world.makeDevice("device"), services: [CBMutableService("FFF0", lines)])
  }

  deinit { for gate in hanging.values { gate.signal() } }

  /// Starts a gateway at so many metres from the device.
  /// - Parameters:
  ///   - process: tells two gateways of one name apart.
  ///   - role: members of the configuration in place of the device that is kept and the fleet.
  func start(
    _ name: String, metres: Double = 2, fleet: String = "{}", process: String? = nil, role: String? = nil
  ) async throws -> Member {
    let kept = """
      "fleet": \(fleet),
       "devices": [{"name": "desk", "match": {"names": ["counter"]}, "commands": {"write": ["FFF0/FFF2"]}}]
      """
    let configuration = try configuration(name, process ?? name, role ?? kept)
    let adapter = world.makeDevice(process ?? name, at: Position(x: metres))
    let central = Central(options: adapter.options, clock: world.clock)
    await world.settle()
    var surroundings = GatewaySurroundings(version: "test")
    let world = world
    surroundings.now = { GatewayScene.beginning.addingTimeInterval(world.now.seconds) }
    // Without it a device that is only heard has another name at each adapter.
    surroundings.address = { _ in DeviceAddress("C0:FF:EE:01:02:03", kind: .random) }
    surroundings.backOff = .init(first: .milliseconds(20), longest: .milliseconds(200), jitter: 0.5)
    let (reports, isConnected) = (Guarded<[LeaseReport]>([]), Guarded(false))
    let gateway = try Gateway(configuration, central: central, surroundings) { report in
      switch report {
      case .lease(let report): reports.with { $0.append(report) }
      case .connected: isConnected.with { $0 = true }
      case .disconnected: isConnected.with { $0 = false }
      default: break
      }
    }
    try await gateway.start()
    let member = Member(gateway: gateway, adapter: adapter, reports: reports, isConnected: isConnected)
    members[process ?? name] = member
    try await untilConnected()
    return member
  }

  private func configuration(_ name: String, _ process: String, _ role: String) throws -> GatewayConfiguration {
    let text = """
      {"format": "ble-gateway/1", "gateway": "\(name)", "broker": {"host": "127.0.0.1", "port": \(broker.port)},
       "outbox": {"file": "\(process).outbox"}, \(role)}
      """
    return try GatewayConfigurationReader.read(octets: text.utf8, folder: folder.url.path)
  }

  /// Reloads a gateway with each of these members of the configuration in place of the device that is kept and the fleet. It is asked for one upon
  /// another.
  func reload(_ name: String, _ roles: [String], counting: Bool = false) async throws -> [GatewayChanges] {
    let gateway = try #require(members[name]).gateway
    let configurations = try roles.map { try configuration(name, name, $0) }
    let before = gateway.turns.count
    let outcomes = Guarded<[Int: Result<GatewayChanges, any Error>]>([:])
    for (number, configuration) in configurations.enumerated() {
      Task {
        do {
          let changes = try await gateway.reload(configuration)
          outcomes.with { $0[number] = .success(changes) }
        } catch {
          outcomes.with { $0[number] = .failure(error) }
        }
      }
      // Tasks begin in any order.
      while gateway.turns.count <= before + number, outcomes.with({ $0[number] }) == nil { await Task.yield() }
    }
    try await whileTimePasses(counting: counting) { outcomes.with { $0.count } == roles.count }
    let all = outcomes.with { $0 }
    return try roles.indices.map { try #require(all[$0]).get() }
  }

  func reload(_ name: String, _ role: String, counting: Bool = false) async throws -> GatewayChanges {
    try #require(try await reload(name, [role], counting: counting).first)
  }

  /// Until something has happened that takes real time: the outbox and the broker do.
  private func whileTimePasses(counting: Bool = false, _ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition() {
      try #require(ContinuousClock.now < deadline)
      await pass(counting: counting)
    }
  }

  /// What was published on the device's lease.
  var leases: [Lease] {
    subscriber.messages.compactMap { message in
      guard message.topic == "ble/fleet/lease/desk",
        case .lease(let lease)? = try? LeaseMessage(message.payload, on: .lease(device: "desk"))
      else { return nil }
      return lease
    }
  }

  /// Waits until all gateways have had a broker; the world's time stands still.
  func untilConnected() async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    var left = members.values.map(\.isConnected)
    while !left.isEmpty {
      try #require(ContinuousClock.now < deadline)
      await Task.yield()
      left.removeAll { $0.with { $0 } }
    }
  }

  /// The world goes on by a step, and then waits until everything that was published has arrived everywhere.
  func pass(_ duration: Duration = step, counting: Bool = false) async {
    let end = world.now + duration
    while world.now < end {
      if counting, !counter.centrals.isEmpty {
        counted += 1
        counter.push(Data("\(counted)".utf8), "FFF1")
      }
      await world.advance(by: Self.step)
      // What one publishes for what another has published arrives with the second round.
      for _ in 0..<2 {
        for (name, member) in members where hanging[name] == nil { await Self.fence(member.gateway) }
        await world.settle()
      }
    }
  }

  /// Returns when the broker has acknowledged what is in the outbox, and then a message of ours: it has handed on what came before. The outbox
  /// and the disk take real time: without this many seconds of the world could pass while a gateway seems to hear nothing.
  private static func fence(_ gateway: Gateway) async {
    await gateway.outbox.write()
    while await !isAtRest(gateway.line) { await Task.yield() }
    let message = BrokerPublication(topic: "fence/\(gateway.configuration.name)", payload: Data())
    await withCheckedContinuation { continuation in
      gateway.line.publish(message) { _ in continuation.resume() }
    }
  }

  private static func isAtRest(_ line: GatewayLine) async -> Bool {
    await withCheckedContinuation { continuation in
      line.pass { continuation.resume(returning: line.sender?.isAtRest ?? true) }
    }
  }

  /// Passes time until the condition holds. Returns how much.
  @discardableResult
  func until(
    within limit: Duration, counting: Bool = false, _ condition: () -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Duration {
    let start = world.now
    while !condition() {
      try #require(world.now - start < limit, "not within \(limit): \(story)", sourceLocation: sourceLocation)
      await pass(counting: counting)
    }
    return world.now - start
  }

  /// The last messages of leases and events, for a test that fails.
  private var story: String {
    let told = subscriber.messages.filter { $0.topic.contains("/fleet/lease/") || $0.topic.hasSuffix("/event") }
    let topics = Dictionary(grouping: subscriber.messages, by: \.topic).mapValues(\.count)
    return "\(topics)" + told.suffix(12).map { "\n\($0.topic) \($0.text.prefix(200))" }.joined()
  }

  /// The gateway's machine is gone: its radio is silent, and its link is not closed but stands still.
  func hang(_ name: String) {
    let gate = DispatchSemaphore(value: 0)
    hanging[name] = gate
    members[name]?.adapter.cutPower()
    members[name]?.gateway.line.pass { gate.wait() }
  }

  /// It runs again.
  func wake(_ name: String) {
    hanging.removeValue(forKey: name)?.signal()
    members[name]?.adapter.restorePower()
  }

  /// Ends a gateway.
  func stop(_ name: String) async throws {
    guard let member = members.removeValue(forKey: name) else { return }
    let isStopped = Guarded(false)
    Task {
      await member.gateway.stop()
      isStopped.with { $0 = true }
    }
    try await whileTimePasses { isStopped.with { $0 } }
  }

  func stopAll() async throws {
    for name in members.keys.sorted() { try await stop(name) }
    await subscriber.stop()
  }

  /// The values that have arrived, by their stamps.
  func values() async -> [(stamp: ValueStamp, text: String)] {
    let counted = counted
    _ = await subscriber.wait { messages in
      Set(messages.compactMap(Self.value).map(\.stamp)).count >= counted ? true : nil
    }
    return subscriber.messages.compactMap(Self.value)
  }

  static func value(_ message: BrokerMessage) -> (stamp: ValueStamp, text: String)? {
    let object = message.object
    guard let stamp = object["stamp"] as? [String: Any], let epoch = stamp["epoch"] as? Int,
      let gateway = stamp["gateway"] as? String, let instance = stamp["instance"] as? String,
      let sequence = stamp["sequence"] as? Int, let holder = GatewayInstance(gateway: gateway, instance: instance),
      let text = (object["value"] as? [String: Any])?["utf8"] as? String
    else { return nil }
    return (ValueStamp(epoch: epoch, holder: holder, sequence: sequence), text)
  }

  /// Every counted value has arrived with a stamp of its own, and the stamps are in the order of counting.
  func expectAllValues(sourceLocation: SourceLocation = #_sourceLocation) async {
    var texts: [ValueStamp: String] = [:]
    for (stamp, text) in await values() {
      let before = texts.updateValue(text, forKey: stamp)
      #expect(before == nil || before == text, "\(stamp)", sourceLocation: sourceLocation)
    }
    let order = texts.sorted { $0.key < $1.key }.map(\.value)
    #expect(order == (0..<counted).map { "\($0 + 1)" }, sourceLocation: sourceLocation)
  }
}
