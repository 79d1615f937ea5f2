import BLEGateway
import BLESession
import Foundation
import Testing

/// Two runners on one broker that is a dictionary, on a clock that a test moves.
@Suite("Gateways that run leases")
struct LeaseRunnerTests {
  @Test("I17.3 one of two gateways opens a device; when its status says offline, the other one does within 5 s")
  func takeover() async throws {
    let fleet = SmallFleet()
    let (hall, attic) = (try fleet.add("hall"), try fleet.add("attic"))
    hall.runner.connected()
    attic.runner.connected()
    await fleet.pass(.seconds(1)) {
      hall.runner.heard("lamp", rssi: -50)
      attic.runner.heard("lamp", rssi: -70)
    }
    await fleet.pass(.seconds(2)) {}
    #expect(hall.runner.held == ["lamp"] && attic.runner.held.isEmpty)
    #expect(hall.runner.stamp("lamp")?.sequence == 1 && attic.runner.stamp("lamp") == nil)
    fleet.remove(hall, "hall")
    fleet.publish(BrokerPublication(topic: "ble/hall/status", payload: Data("offline".utf8), isRetained: true))
    for _ in 0..<4 { await fleet.pass(.milliseconds(900)) { attic.runner.heard("lamp", rssi: -70) } }
    #expect(attic.runner.held == ["lamp"])
    #expect(attic.opened.with { $0 } == ["lamp 2 180F/2A19"])
  }

  @Test("I17.3 messages on other topics are left to others, and nonsense on topics of leases is not")
  func topics() throws {
    let fleet = SmallFleet()
    let hall = try fleet.add("hall")
    let expected = [
      ("ble/fleet/lease/lamp", true), ("ble/fleet/lease/a/b", true), ("ble/attic/status", true),
      ("ble/attic/device/lamp/status", false), ("other/fleet/lease/lamp", false), ("ble", false), ("", false),
    ]
    for (topic, isOurs) in expected {
      #expect(hall.runner.take(BrokerMessage(topic: topic, payload: Data("7".utf8))) == isOurs, "\(topic)")
    }
    withExtendedLifetime(fleet) {}
  }
}

/// A broker, and a clock for all runners.
private final class SmallFleet: @unchecked Sendable {
  final class Member: Sendable {
    let runner: LeaseRunner
    let topics: Guarded<Set<String>>
    let opened: Guarded<[String]>

    init(_ runner: LeaseRunner, _ topics: Guarded<Set<String>>, _ opened: Guarded<[String]>) {
      (self.runner, self.topics, self.opened) = (runner, topics, opened)
    }
  }

  private struct State {
    var members: [Member] = []
    var gone: Set<String> = []
    var retained: [String: BrokerPublication] = [:]
  }

  let clock = HandClock()
  private let state = Guarded(State())

  func add(_ name: String) throws -> Member {
    let identity = try #require(GatewayInstance(gateway: name, instance: "1"))
    let (topics, opened, own) = (Guarded<Set<String>>([]), Guarded<[String]>([]), Guarded<LeaseRunner?>(nil))
    let hooks = LeaseRunner.Hooks(
      publish: { [weak self] message in
        guard let self, state.with({ !$0.gone.contains(name) }) else { return }
        publish(message)
      },
      subscribe: { [weak self] topic in
        topics.with { _ = $0.insert(topic) }
        guard let kept = self?.state.with({ $0.retained[topic] }) else { return }
        _ = own.with { $0 }?.take(BrokerMessage(topic: topic, payload: kept.payload))
      },
      unsubscribe: { topic in topics.with { _ = $0.remove(topic) } },
      open: { device, epoch, subscriptions in
        opened.with { $0.append(([device, "\(epoch)"] + subscriptions).joined(separator: " ")) }
        own.with { $0 }?.opened(device, epoch: epoch, subscriptions: ["180F/2A19"])
      }, drain: { device, epoch in own.with { $0 }?.drained(device, epoch: epoch) }, close: { _, _, _ in },
      report: { _ in })
    let runner = LeaseRunner(identity, rules: LeaseRules(), prefix: "ble", clock: clock, hooks: hooks)
    own.with { $0 = runner }
    let member = Member(runner, topics, opened)
    state.with { $0.members.append(member) }
    return member
  }

  /// The gateway is dead: nothing reaches it, and nothing comes of it.
  func remove(_ member: Member, _ name: String) {
    state.with { state in
      state.members.removeAll { $0 === member }
      state.gone.insert(name)
    }
  }

  func publish(_ message: BrokerPublication) {
    let members = state.with { state in
      if message.isRetained { state.retained[message.topic] = message }
      return state.members
    }
    for member in members where member.topics.with({ $0.contains(message.topic) }) {
      _ = member.runner.take(BrokerMessage(topic: message.topic, payload: message.payload))
    }
  }

  func pass(_ duration: Duration, _ first: () -> Void) async {
    first()
    await clock.pass(duration)
  }
}

/// A clock that a test moves; what is due runs on its queue, and the clock waits for it.
private final class HandClock: SessionClock, @unchecked Sendable {
  final class Timer: SessionTimer, @unchecked Sendable {
    fileprivate let number: Int
    fileprivate weak var clock: HandClock?
    init(_ number: Int, _ clock: HandClock) { (self.number, self.clock) = (number, clock) }
    func cancel() { clock?.state.with { state in state.waiting.removeAll { $0.number == number } } }
  }

  fileprivate struct Waiting {
    let at: Duration
    let number: Int
    let queue: DispatchQueue
    let action: @Sendable () -> Void
  }

  fileprivate struct State {
    var now = Duration.seconds(1)
    var number = 0
    var waiting: [Waiting] = []
    var queues: [ObjectIdentifier: DispatchQueue] = [:]
  }

  fileprivate let state = Guarded(State())
  var now: Duration { state.with { $0.now } }

  func schedule(after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) -> Timer {
    let number = state.with { state in
      state.number += 1
      state.queues[ObjectIdentifier(queue)] = queue
      state.waiting.append(Waiting(at: state.now + delay, number: state.number, queue: queue, action: action))
      return state.number
    }
    return Timer(number, self)
  }

  func run(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    state.with { $0.queues[ObjectIdentifier(queue)] = queue }
    queue.async(execute: action)
  }

  /// Waits until nothing more is on the queues: each message may put another one on another queue.
  private func settle() async {
    for _ in 0..<8 {
      for queue in state.with({ Array($0.queues.values) }) {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
      }
    }
  }

  func pass(_ duration: Duration) async {
    let end = now + duration
    await settle()
    while let next = state.with({ state -> Waiting? in
      guard let next = state.waiting.min(by: { ($0.at, $0.number) < ($1.at, $1.number) }), next.at <= end else {
        return nil
      }
      state.waiting.removeAll { $0.number == next.number }
      state.now = max(state.now, next.at)
      return next
    }) {
      next.queue.async(execute: next.action)
      await settle()
    }
    state.with { $0.now = end }
  }
}
