import BLESession
import Foundation

/// The part of a gateway in its fleet: which devices it keeps is decided by their leases (`Docs/gateway-leases.md`).
final class GatewayFleet: Sendable {
  let runner: LeaseRunner
  private let topics: GatewayTopics
  private let central: Central
  private let members: Guarded<[String: FleetMember]>
  private let outbox = Guarded<Outbox?>(nil)
  private let isConnected = Guarded(false)
  /// How long the end waits for the broker to get the last values.
  private static let patience = Duration.seconds(2)
  /// Whether it was told that the broker refuses messages of leases.
  private let isRefused: Guarded<Bool>

  init(
    _ configuration: GatewayConfiguration, _ fleet: GatewayConfiguration.Fleet, in central: Central, now: Date,
    _ line: GatewayLine, report: @escaping @Sendable (GatewayReport) -> Void
  ) throws {
    guard let identity = GatewayInstance(gateway: configuration.name, instance: LeaseRunner.randomInstance()) else {
      throw SessionError(.invalid, "\(configuration.name) is no name of a gateway")
    }
    (topics, self.central) = (configuration.topics, central)
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
      identity, rules: Self.rules(fleet, at: now), prefix: configuration.prefix, clock: central.clock, hooks: hooks)
  }

  /// Epochs grow with the seconds since 2020, should everybody have forgotten them.
  private static func rules(_ fleet: GatewayConfiguration.Fleet, at now: Date) -> LeaseRules {
    var rules = LeaseRules()
    rules.hysteresis = fleet.hysteresis
    rules.isolation = fleet.isolation
    rules.firstEpoch = max(1, Int(now.timeIntervalSince1970) - 1_577_836_800)
    return rules
  }

  /// What numbers the values of a device of the fleet.
  func stamp(of device: String) -> @Sendable () -> ValueStamp? { { [weak runner] in runner?.stamp(device) } }

  /// Begins to listen for those devices that are in the fleet.
  func start(_ devices: [GatewayDevice], _ outbox: Outbox) async {
    self.outbox.with { $0 = outbox }
    for device in devices where device.isInFleet { await add(device) }
  }

  /// Begins to listen for a device, which is connected when its lease is held.
  func add(_ device: GatewayDevice) async {
    let (name, outbox) = (device.plan.name, outbox.with { $0 })
    let values = topics.values(of: name)
    let member = FleetMember(device, runner, clock: central.clock) { [weak outbox] done in
      outbox?.whenSent(valuesOn: values, done)
    }
    members.with { $0[name] = member }
    await device.start()
    await member.start(in: central)
  }

  /// Lets a device go, then releases its lease: the number of its last value is known by then. Without a broker the lease is released when there
  /// is one again.
  func remove(_ name: String) async {
    guard let member = members.with({ $0[name] }) else { return }
    await member.end()
    members.with { $0[name] = nil }
    await sendValues(on: topics.values(of: name))
    await runner.giveUp(name)
  }

  /// Keeps a device in another way. One that is held is left and reached again under the same lease, unless it may be another device.
  func replace(_ device: GatewayDevice) async {
    let name = device.plan.name
    if let member = members.with({ $0[name] }), member.device.plan.isSameDevice(as: device.plan) {
      return await member.replace(with: device, in: central)
    }
    await remove(name)
    await add(device)
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
    await sendValues(on: topics.root + "/")
    await runner.end()
    members.with { $0 = [:] }
    outbox.with { $0 = nil }
  }

  /// So that the next holder's values come behind those of this one. What the broker does not get stays in the outbox.
  private func sendValues(on topics: String) async {
    guard let outbox = outbox.with({ $0 }), isConnected.with({ $0 }) else { return }
    let isOver = FirstResult<Void>()
    outbox.whenSent(valuesOn: topics) { isOver.give(()) }
    let timer = SystemSessionClock().schedule(after: Self.patience, on: .global()) { isOver.give(()) }
    await isOver.value()
    timer.cancel()
  }
}

extension GatewayConfiguration.Device {
  fileprivate func isSameDevice(as other: Self) -> Bool { rule == other.rule && identifier == other.identifier }
}

extension Bool {
  /// Becomes true. Returns whether it was not.
  fileprivate mutating func becomeTrue() -> Bool {
    defer { self = true }
    return !self
  }
}
