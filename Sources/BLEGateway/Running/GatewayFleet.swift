import BLESession
import Foundation

/// The part of a gateway in its fleet: which devices it keeps is decided by their leases (`Docs/gateway-leases.md`).
final class GatewayFleet: Sendable {
  let runner: LeaseRunner
  private let configuration: GatewayConfiguration
  private let members: Guarded<[String: FleetMember]>
  private let outbox = Guarded<Outbox?>(nil)
  private let isConnected = Guarded(false)
  /// How long the end waits for the broker to get the last values.
  private static let patience = Duration.seconds(2)
  /// Whether it was told that the broker refuses messages of leases.
  private let isRefused: Guarded<Bool>

  init(
    _ configuration: GatewayConfiguration, _ fleet: GatewayConfiguration.Fleet, clock: any SessionClock, now: Date,
    _ line: GatewayLine, report: @escaping @Sendable (GatewayReport) -> Void
  ) throws {
    guard let identity = GatewayInstance(gateway: configuration.name, instance: LeaseRunner.randomInstance()) else {
      throw SessionError(.invalid, "\(configuration.name) is no name of a gateway")
    }
    self.configuration = configuration
    let members = Guarded<[String: FleetMember]>([:])
    self.members = members
    let isRefused = Guarded(false)
    self.isRefused = isRefused
    let tell: @Sendable (String, FleetMember.Step) -> Void = { device, step in
      members.with { $0[device] }?.add(step)
    }
    let hooks = LeaseRunner.Hooks(
      publish: { [weak line] message in
        line?.publish(message) { code in
          guard let code, code >= 128, isRefused.with({ $0.becomeTrue() }) else { return }
          report(.refused(topic: message.topic, code: code))
        }
      },
      subscribe: { [weak line] in line?.follow($0) }, unsubscribe: { [weak line] in line?.unfollow($0) },
      open: { tell($0, .open(epoch: $1, $2)) }, drain: { tell($0, .drain(epoch: $1)) },
      close: { device, _, _ in tell(device, .close) }, report: { report(.lease($0)) })
    runner = LeaseRunner(
      identity, rules: Self.rules(fleet, at: now), prefix: configuration.prefix, clock: clock, hooks: hooks)
  }

  /// Epochs grow with the seconds since 2020, should everybody have forgotten them.
  private static func rules(_ fleet: GatewayConfiguration.Fleet, at now: Date) -> LeaseRules {
    var rules = LeaseRules()
    rules.hysteresis = fleet.hysteresis
    rules.isolation = fleet.isolation
    rules.firstEpoch = max(1, Int(now.timeIntervalSince1970) - 1_577_836_800)
    return rules
  }

  /// What numbers the values of a device; `nil`: it is not in the fleet.
  func stamp(of device: GatewayConfiguration.Device) -> (@Sendable () -> ValueStamp?)? {
    guard configuration.isInFleet(device) else { return nil }
    return { [weak runner] in runner?.stamp(device.name) }
  }

  /// Begins to listen for those devices that are in the fleet.
  func start(_ devices: [GatewayDevice], _ outbox: Outbox, _ topics: GatewayTopics, in central: Central) async {
    self.outbox.with { $0 = outbox }
    for device in devices where configuration.isInFleet(device.plan) {
      let values = topics.values(of: device.plan.name)
      let member = FleetMember(device, runner, clock: central.clock) { [weak outbox] done in
        outbox?.whenSent(valuesOn: values, done)
      }
      members.with { $0[device.plan.name] = member }
      await member.start(in: central)
    }
  }

  /// The broker has accepted the gateway.
  func connected() {
    isRefused.with { $0 = false }
    isConnected.with { $0 = true }
    runner.connected()
  }

  /// The link to the broker has ended.
  func disconnected() {
    isConnected.with { $0 = false }
    runner.disconnected()
  }

  /// Lets all devices go, then releases their leases: the number of the last value of each is known by then.
  func end() async {
    let all = members.with { Array($0.values) }
    await withTaskGroup(of: Void.self) { group in
      for member in all { group.addTask { await member.end() } }
    }
    await sendValues()
    await runner.end()
    members.with { $0 = [:] }
    outbox.with { $0 = nil }
  }

  /// So that the next holder's values come behind those of this one. What the broker does not get stays in the outbox.
  private func sendValues() async {
    guard let outbox = outbox.with({ $0 }), isConnected.with({ $0 }) else { return }
    let isOver = FirstResult<Void>()
    outbox.whenSent(valuesOn: configuration.topics.root + "/") { isOver.give(()) }
    let timer = SystemSessionClock().schedule(after: Self.patience, on: .global()) { isOver.give(()) }
    await isOver.value()
    timer.cancel()
  }
}

extension Bool {
  /// Becomes true. Returns whether it was not.
  fileprivate mutating func becomeTrue() -> Bool {
    defer { self = true }
    return !self
  }
}
