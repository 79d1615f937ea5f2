import BLECore
import BLEDeviceFiles
import BLESession
import CoreBluetooth
import Foundation

/// A device that the gateway keeps: what it says goes into the outbox on the session's own queue, so that no buffer in between drops any.
final class GatewayDevice: Sendable {
  let plan: GatewayConfiguration.Device
  let session: DeviceSession
  let described: DescribedDevice?
  let lane: CommandLane
  private let messages: GatewayMessages
  private let surroundings: GatewaySurroundings
  private let clock: any SessionClock
  private let add: @Sendable (OutboxDraft) -> Void
  /// Numbers the values of a device of the fleet, and says by `nil` that this gateway does not hold it; itself `nil` for other devices.
  private let stamp: (@Sendable () -> ValueStamp?)?
  /// Values are numbered in the order in which they come into the outbox.
  private let order = Guarded(())
  private let announce: @Sendable (HomeAssistantAnnouncer.News) -> Void
  private let report: @Sendable (SessionEvent) -> Void
  private let state: Guarded<State>

  private struct State {
    var subject: GatewayMessages.Subject
    /// Characteristics that have notified: a value of theirs that is read is not published a second time.
    var listened: Set<CharacteristicPath> = []
    var observations: [Observation] = []
    var timer: (any SessionTimer)?
    var isStopped = false
  }

  /// Tries to reconnect without a practical time limit.
  private static let configuration = SessionConfiguration(
    policy: ReconnectPolicy(
      budget: .seconds(365 * 86_400), backOff: .init(longest: .seconds(15)),
      approach: .directThenScan(after: .seconds(5))),
    patience: .seconds(10))
  private static let queue = DispatchQueue(label: "BLEGateway.readings", qos: .utility)

  init(
    _ plan: GatewayConfiguration.Device, in central: Central, _ messages: GatewayMessages,
    _ surroundings: GatewaySurroundings, stamp: (@Sendable () -> ValueStamp?)? = nil,
    add: @escaping @Sendable (OutboxDraft) -> Void,
    announce: @escaping @Sendable (HomeAssistantAnnouncer.News) -> Void,
    report: @escaping @Sendable (SessionEvent) -> Void
  ) throws(SessionError) {
    self.plan = plan
    self.messages = messages
    self.surroundings = surroundings
    self.stamp = stamp
    self.add = add
    self.announce = announce
    self.report = report
    clock = central.clock
    let target = DeviceTarget(identifier: plan.identifier, rule: plan.rule)
    if let description = plan.description {
      let described = try DescribedDevice(
        description, in: central, target: target, configuration: Self.configuration,
        cryptography: surroundings.cryptography)
      (self.described, session) = (described, described.session)
    } else {
      (described, session) = (nil, central.session(with: target, configuration: Self.configuration))
    }
    lane = CommandLane(clock: central.clock, now: surroundings.now)
    state = Guarded(State(subject: .init(device: plan.name)))
  }

  /// Whether it is kept only while this gateway holds its lease.
  var isInFleet: Bool { stamp != nil }

  /// Begins. A device of the fleet is connected on demand only.
  func start() async {
    lane.start(on: self)
    keep(await session.observeNews { [weak self] in self?.take($0) })
    if let described {
      for observation in await described.observeNotifications({ [weak self] in self?.take($0) }) { keep(observation) }
    }
    switch plan.values {
    case .everything: keep(await session.observeAllValues { [weak self] in self?.take($1, from: $0) })
    case .characteristics(let paths):
      for path in Set(paths) {
        keep(await session.observeValues(from: path) { [weak self] in self?.take($0, from: path) })
      }
    }
    if let interval = plan.signalInterval {
      keep(
        await session.observeSignal(every: interval) { [weak self] strength in
          guard let self else { return }
          add(messages.signal(strength, of: subject))
        })
    }
    if stamp == nil { session.keepConnected() }
    if !plan.readings.isEmpty { scheduleReading() }
  }

  func stop() async {
    let observations = state.with { state in
      defer { state.observations = [] }
      state.isStopped = true
      state.timer?.cancel()
      return state.observations
    }
    lane.stop()
    await session.disconnect()
    for observation in observations { observation.cancel() }
  }

  /// Tells Home Assistant of it again.
  func announceIfReady() async {
    if await session.state == .ready { announce(.ready(subject)) }
  }

  private var subject: GatewayMessages.Subject { state.with { $0.subject } }
  private func keep(_ observation: Observation) { state.with { $0.observations.append(observation) } }

  // MARK: On the session's queue

  private func take(_ news: DeviceNews) {
    let subject = state.with { state in
      if let identifier = news.identifier {
        state.subject.identifier = identifier
        state.subject.address = surroundings.address(identifier)?.description ?? state.subject.address
      }
      state.subject.name = news.name ?? state.subject.name
      return state.subject
    }
    report(news.event)
    if let draft = messages.event(news.event, of: subject) { add(draft) }
    switch news.event {
    case .ready:
      add(messages.status(of: subject, isReady: true))
      announce(.ready(subject))
      lane.setReady(true)
    case .disconnected, .state(.stopped):
      lane.setReady(false)
      add(messages.status(of: plan.name, isReady: false))
      if case .state(.stopped) = news.event { announce(.stopped(plan.name)) }
    default: break
    }
  }

  private func take(_ said: DescribedNotification) {
    let subject = subject
    publish { self.messages.notification(said, of: subject, $0) }
  }

  private func publish(_ draft: (ValueStamp?) -> OutboxDraft) {
    guard let stamp else { return add(draft(nil)) }
    order.with { _ in
      if let stamp = stamp() { add(draft(stamp)) }
    }
  }

  func take(_ value: Data, from path: CharacteristicPath) {
    let (isFirst, subject) = state.with { state in (state.listened.insert(path).inserted, state.subject) }
    if isFirst { announce(.value(path, device: plan.name)) }
    publish { messages.value(value, from: path, of: subject, $0) }
  }

  // MARK: Readings

  private func scheduleReading() {
    let timer = clock.schedule(after: plan.readInterval, on: Self.queue) { [weak self] in
      Task { [weak self] in await self?.readAll() }
    }
    state.with { $0.timer = timer }
  }

  private func readAll() async {
    for path in plan.readings where await session.state == .ready {
      let isListened = state.with { $0.listened.contains(path) }
      if let value = try? await session.read(path), !isListened {
        let subject = subject
        publish { messages.value(value, from: path, of: subject, $0) }
      }
    }
    if !state.with({ $0.isStopped }) { scheduleReading() }
  }
}
