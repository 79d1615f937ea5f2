import BLESession
import Foundation

/// Runs a `LeaseKeeper`: gives it messages and time, and has done what it wants done.
///
/// Its methods may be called on any queue. What it wants done is asked for on its own queue, in order.
package final class LeaseRunner: Sendable {
  /// What a gateway has to do for it.
  package struct Hooks: Sendable {
    /// Publish this with QoS 1 if there is a connection; otherwise nothing.
    package var publish: @Sendable (BrokerPublication) -> Void
    /// Subscribe to a topic if there is a connection; otherwise nothing. With QoS 0, so that the broker keeps no pulses for a gateway that is
    /// away, and without `no local`: own messages have to come back.
    package var subscribe: @Sendable (String) -> Void
    package var unsubscribe: @Sendable (String) -> Void
    /// Connect, subscribe, and call `opened` or `failed`.
    package var open: @Sendable (_ device: String, _ epoch: Int, _ subscriptions: [String]) -> Void
    /// End the notifications, then the link, and call `drained` when the broker has all values of the device.
    package var drain: @Sendable (_ device: String, _ epoch: Int) -> Void
    /// Take no further values, and end the link.
    package var close: @Sendable (_ device: String, _ epoch: Int, LeaseEnd) -> Void
    package var report: @Sendable (LeaseReport) -> Void

    package init(
      publish: @escaping @Sendable (BrokerPublication) -> Void, subscribe: @escaping @Sendable (String) -> Void,
      unsubscribe: @escaping @Sendable (String) -> Void,
      open: @escaping @Sendable (_ device: String, _ epoch: Int, _ subscriptions: [String]) -> Void,
      drain: @escaping @Sendable (_ device: String, _ epoch: Int) -> Void,
      close: @escaping @Sendable (_ device: String, _ epoch: Int, LeaseEnd) -> Void,
      report: @escaping @Sendable (LeaseReport) -> Void
    ) {
      (self.publish, self.subscribe, self.unsubscribe) = (publish, subscribe, unsubscribe)
      (self.open, self.drain, self.close, self.report) = (open, drain, close, report)
    }
  }

  private struct State {
    var keeper: LeaseKeeper
    var topics: Set<LeaseTopic> = []
    var timer: (any SessionTimer)?
    var planned: Duration?
  }

  private let prefix: String
  private let clock: any SessionClock
  private let hooks: Hooks
  private let queue = DispatchQueue(label: "BLEGateway.leases")
  private let state: Guarded<State>

  /// - Parameter prefix: of the gateways' topics. Leases are below `PREFIX/fleet/`, the status of a gateway is `PREFIX/GATEWAY/status`.
  package init(
    _ identity: GatewayInstance, rules: LeaseRules, prefix: String, clock: any SessionClock, hooks: Hooks
  ) {
    (self.prefix, self.clock, self.hooks) = (prefix, clock, hooks)
    state = Guarded(State(keeper: LeaseKeeper(identity, rules: rules)))
  }

  /// What an instance is called: 64 random bits.
  package static func randomInstance() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }

  // MARK: What happens

  /// The broker has accepted the gateway: all topics are subscribed to again.
  package func connected() {
    clock.run(on: queue) { [weak self] in
      guard let self else { return }
      let topics = state.with { $0.topics }.sorted { $0.path < $1.path }
      for topic in topics { paths(topic).forEach(hooks.subscribe) }
      advance { keeper, now in keeper.brokerConnected(at: now) }
    }
  }

  package func disconnected() { perform { keeper, now in keeper.brokerDisconnected(at: now) } }

  /// A message has arrived. Returns whether it belongs to the leases, read or not.
  package func take(_ message: BrokerMessage) -> Bool {
    guard message.topic.hasPrefix(prefix + "/") else { return false }
    let path = message.topic.dropFirst(prefix.count + 1)
    if path.hasPrefix("fleet/") {
      guard let topic = LeaseTopic(path: path.dropFirst("fleet/".count)) else { return true }
      let read = message.payload.isEmpty ? nil : try? LeaseMessage(message.payload, on: topic)
      perform { keeper, now in keeper.receive(read, on: topic, at: now) }
      return true
    }
    let levels = path.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 2, levels[1] == "status" else { return false }
    if message.payload == Data("offline".utf8) {
      let gateway = String(levels[0])
      perform { keeper, now in keeper.gatewayIsGone(gateway, at: now) }
    }
    return true
  }

  package func heard(_ device: String, rssi: Int) {
    perform { keeper, now in keeper.heard(device, rssi: rssi, at: now) }
  }

  package func opened(_ device: String, epoch: Int, subscriptions: [String]) {
    perform { keeper, now in keeper.opened(device, epoch: epoch, subscriptions: subscriptions, at: now) }
  }

  package func subscribed(_ device: String, to subscriptions: [String]) {
    perform { keeper, now in keeper.subscribed(device, to: subscriptions, at: now) }
  }

  package func failed(_ device: String, epoch: Int) {
    perform { keeper, now in keeper.failed(device, epoch: epoch, at: now) }
  }

  package func lost(_ device: String, epoch: Int) {
    perform { keeper, now in keeper.lost(device, epoch: epoch, at: now) }
  }

  package func drained(_ device: String, epoch: Int) {
    perform { keeper, now in keeper.drained(device, epoch: epoch, at: now) }
  }

  /// Releases a device that is not wanted any more. Returns when the message that says so has been handed over to `publish`.
  package func giveUp(_ device: String) async {
    await withCheckedContinuation { continuation in
      perform({ keeper, now in keeper.giveUp(device, at: now) }, then: { continuation.resume() })
    }
  }

  /// Releases all devices. Returns when the messages that say so have been handed over to `publish`.
  package func end() async {
    await withCheckedContinuation { continuation in
      perform({ keeper, now in keeper.end(at: now) }, then: { continuation.resume() })
    }
  }

  // MARK: What is known

  /// The number of a value that a device has just sent; `nil`: the gateway does not hold it, and the value is not to be published.
  package func stamp(_ device: String) -> ValueStamp? { state.with { $0.keeper.stamp(device) } }

  /// The epoch under which this gateway has the device open, or opens it; `nil` if it does not.
  package func epoch(of device: String) -> Int? { state.with { $0.keeper.epoch(of: device) } }

  /// The devices that this gateway has open.
  package var held: [String] { state.with { $0.keeper.held } }

  // MARK: On the queue

  private func perform(
    _ body: @escaping @Sendable (LeaseKeeper, Duration) -> Void, then: @escaping @Sendable () -> Void = {}
  ) {
    clock.run(on: queue) { [weak self] in
      self?.advance(body)
      then()
    }
  }

  private func advance(_ body: (LeaseKeeper, Duration) -> Void) {
    let actions = state.with { state in
      body(state.keeper, clock.now)
      plan(&state)
      return state.keeper.takeActions().filter { noteTopic($0, &state) }
    }
    for action in actions { perform(action) }
  }

  private func plan(_ state: inout State) {
    guard let wake = state.keeper.wake, wake != state.planned else { return }
    state.timer?.cancel()
    state.planned = wake
    state.timer = clock.schedule(after: max(.zero, wake - clock.now), on: queue) { [weak self] in
      self?.timePassed(wake)
    }
  }

  private func timePassed(_ planned: Duration) {
    let isDue = state.with { state in
      guard state.planned == planned else { return false }
      state.planned = nil
      return true
    }
    if isDue { advance { keeper, now in keeper.advance(to: max(now, planned)) } }
  }

  /// Whether the action is still to be done: a topic that is followed is not subscribed to twice.
  private func noteTopic(_ action: LeaseAction, _ state: inout State) -> Bool {
    switch action {
    case .follow(let topic): state.topics.insert(topic).inserted
    case .unfollow(let topic): state.topics.remove(topic) != nil
    default: true
    }
  }

  private func perform(_ action: LeaseAction) {
    switch action {
    case .publish(let message):
      hooks.publish(
        BrokerPublication(
          topic: path(message.topic), payload: Data(message.payload.utf8), isRetained: message.isRetained))
    case .follow(let topic): paths(topic).forEach(hooks.subscribe)
    case .unfollow(let topic): paths(topic).forEach(hooks.unsubscribe)
    case .open(let device, let epoch, let subscriptions): hooks.open(device, epoch, subscriptions)
    case .drain(let device, let epoch): hooks.drain(device, epoch)
    case .close(let device, let epoch, let end): hooks.close(device, epoch, end)
    case .report(let report): hooks.report(report)
    }
  }

  private func path(_ topic: LeaseTopic) -> String { prefix + "/fleet/" + topic.path }

  /// The topics that are subscribed to for one: a gateway's status tells of its end sooner than its silence.
  private func paths(_ topic: LeaseTopic) -> [String] {
    guard case .pulse(let gateway) = topic else { return [path(topic)] }
    return [path(topic), "\(prefix)/\(gateway)/status"]
  }
}
