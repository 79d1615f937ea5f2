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
    _ surroundings: GatewaySurroundings, add: @escaping @Sendable (OutboxDraft) -> Void,
    report: @escaping @Sendable (SessionEvent) -> Void
  ) throws(SessionError) {
    self.plan = plan
    self.messages = messages
    self.surroundings = surroundings
    self.add = add
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
    session.keepConnected()
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
      add(messages.status(of: plan.name, isReady: true))
      lane.setReady(true)
    case .disconnected, .state(.stopped):
      lane.setReady(false)
      add(messages.status(of: plan.name, isReady: false))
    default: break
    }
  }

  private func take(_ said: DescribedNotification) { add(messages.notification(said, of: subject)) }

  private func take(_ value: Data, from path: CharacteristicPath) {
    let subject = state.with { state in
      state.listened.insert(path)
      return state.subject
    }
    add(messages.value(value, from: path, of: subject))
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
      if let value = try? await session.read(path), !isListened { add(messages.value(value, from: path, of: subject)) }
    }
    if !state.with({ $0.isStopped }) { scheduleReading() }
  }
}
