import BLEDeviceFiles
import BLESession
import BLEText
import CoreBluetooth
import Foundation

/// A device of the fleet: connected while this gateway holds its lease. What the lease asks for is done one after another.
final class FleetMember: Sendable {
  enum Step: Sendable {
    /// Connect, and subscribe to these besides what the configuration says.
    case open(epoch: Int, [String])
    /// This device is connected and subscribed.
    case ready(epoch: Int, GatewayDevice)
    /// Its session does not try any more.
    case stopped(epoch: Int, GatewayDevice)
    /// End the link so that no value is lost, and say when the broker has all of them.
    case drain(epoch: Int)
    /// End the link at once.
    case close
    /// From now on the device is kept in this way. What is held is left and reached again, under the same lease.
    case replace(GatewayDevice, Central, done: @Sendable () -> Void)
    /// The gateway ends, or does not keep the device any more.
    case end
  }

  var device: GatewayDevice { current.with { $0 } }
  private let name: String
  private let current: Guarded<GatewayDevice>
  /// The strength of a link has to be known at least each 5 s.
  private static let signalInterval = Duration.seconds(3)
  /// How long a device may take to end its notifications.
  private static let patience = Duration.seconds(2)
  private static let queue = DispatchQueue(label: "BLEGateway.fleet", qos: .utility)

  private let clock: any SessionClock
  private let runner: LeaseRunner
  /// Calls back when the broker has all values of the device that were published so far.
  private let whenSent: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let steps: AsyncStream<Step>
  private let continuation: AsyncStream<Step>.Continuation
  /// The epoch for which the device is open.
  private let epoch = Guarded<Int?>(nil)
  private let observations = Guarded<[Observation]>([])
  /// Subscriptions of the last holder that the configuration does not have.
  private let inherited = Guarded<[Observation]>([])
  private let inheritedPaths = Guarded<[String]>([])
  /// What is heard from then on is of no interest.
  private let hasEnded = Guarded(false)
  private let work = Guarded<Task<Void, Never>?>(nil)

  init(
    _ device: GatewayDevice, _ runner: LeaseRunner, clock: any SessionClock,
    whenSent: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    (name, current) = (device.plan.name, Guarded(device))
    (self.runner, self.clock, self.whenSent) = (runner, clock, whenSent)
    (steps, continuation) = AsyncStream.makeStream()
    device.lane.setHeld(false)
  }

  func add(_ step: Step) { continuation.yield(step) }

  func start(in central: Central) async {
    await observe(device, in: central)
    let task = Task { [weak self, steps] in
      for await step in steps { await self?.perform(step) }
    }
    work.with { $0 = task }
  }

  private func observe(_ device: GatewayDevice, in central: Central) async {
    let news = await device.session.observeNews { [weak self, weak device] news in
      if let device { self?.take(news.event, from: device) }
    }
    let signal = await device.session.observeSignal(every: Self.signalInterval) { [weak self] in self?.hear($0.rssi) }
    let rule = device.plan.identifier.map { MatchRule.identifier($0) } ?? device.plan.rule
    let scan = await central.observeDiscoveries(matching: rule, repeats: true) { [weak self] discovery in
      if let rssi = discovery.rssi { self?.hear(rssi) }
    }
    observations.with { $0 = [news, signal, scan] }
  }

  private func endObservations() {
    let ended = observations.with { observations in
      defer { observations = [] }
      return observations
    }
    for observation in ended { observation.cancel() }
  }

  /// In one step, so that the runner hears nothing behind the end: it would follow the device again.
  private func hear(_ rssi: Int) { hasEnded.with { if !$0 { runner.heard(name, rssi: rssi) } } }

  /// Keeps the device in another way from now on, and returns when that has begun. A lease that is held stays, and values are numbered further in it.
  func replace(with device: GatewayDevice, in central: Central) async {
    await withCheckedContinuation { done in
      let step = Step.replace(device, central) { done.resume() }
      if case .enqueued = continuation.yield(step) { return }
      done.resume()
    }
  }

  /// Lets the device go, with the values that it has notified, and returns when that is done.
  func end() async {
    hasEnded.with { $0 = true }
    endObservations()
    add(.end)
    continuation.finish()
    await work.with { $0 }?.value
  }

  /// On the session's queue.
  private func take(_ event: SessionEvent, from device: GatewayDevice) {
    guard let epoch = epoch.with({ $0 }) else { return }
    switch event {
    case .ready: add(.ready(epoch: epoch, device))
    case .state(.stopped(let reason)) where reason != .user: add(.stopped(epoch: epoch, device))
    default: break
    }
  }

  private func perform(_ step: Step) async {
    switch step {
    case .open(let epoch, let subscriptions):
      self.epoch.with { $0 = epoch }
      device.lane.setHeld(true)
      await inherit(subscriptions)
      device.session.keepConnected()
    case .ready(let epoch, let device):
      // The news may be of the session before.
      guard device === self.device else { return }
      let listened = await device.session.listened.map(\.description)
      runner.opened(name, epoch: epoch, subscriptions: listened)
      runner.subscribed(name, to: listened)
    case .stopped(let epoch, let device):
      guard device === self.device, self.epoch.with({ $0 }) == epoch else { return }
      await letGo()
      runner.failed(name, epoch: epoch)
      runner.lost(name, epoch: epoch)
    case .drain(let epoch):
      await drain()
      let (runner, name) = (runner, name)
      whenSent { runner.drained(name, epoch: epoch) }
    case .close: await letGo()
    case .replace(let device, let central, let done):
      await replace(device, central)
      done()
    case .end:
      if epoch.with({ $0 }) != nil { await drain() }
      await device.stop()
    }
  }

  private func replace(_ new: GatewayDevice, _ central: Central) async {
    let (open, inherited) = (epoch.with { $0 }, inheritedPaths.with { $0 })
    if open != nil { await drain() }
    endObservations()
    await device.stop()
    new.lane.setHeld(false)
    current.with { $0 = new }
    await observe(new, in: central)
    await new.start()
    // Meanwhile another gateway may have got it.
    if let open, runner.epoch(of: name) == open { await perform(.open(epoch: open, inherited)) }
  }

  /// The last holder's subscriptions are kept, whatever its configuration was.
  private func inherit(_ subscriptions: [String]) async {
    let device = device
    var paths: Set<CharacteristicPath> = []
    if device.plan.values != .everything {
      paths = Set(subscriptions.compactMap { CharacteristicPath(lease: $0) })
        .subtracting(await device.session.listened)
    }
    inheritedPaths.with { $0 = paths.map(\.description) }
    var added: [Observation] = []
    for path in paths {
      added.append(await device.session.observeValues(from: path) { [weak device] in device?.take($0, from: path) })
    }
    inherited.with { $0 = added }
  }

  private func drain() async {
    device.lane.setHeld(false)
    let isOver = FirstResult<Void>()
    let ending = Task { [session = device.session] in
      await session.endNotifications()
      isOver.give(())
    }
    let timer = clock.schedule(after: Self.patience, on: Self.queue) { isOver.give(()) }
    await isOver.value()
    timer.cancel()
    await letGo()
    await ending.value
  }

  private func letGo() async {
    epoch.with { $0 = nil }
    device.lane.setHeld(false)
    await device.session.disconnect()
    let ended = inherited.with { inherited in
      defer { inherited = [] }
      return inherited
    }
    for observation in ended { observation.cancel() }
  }
}

extension CharacteristicPath {
  /// A subscription in a lease, such as `180F/2A19`; `nil` for anything else.
  fileprivate init?(lease text: String) {
    guard let path = try? PositionedJSON(content: .string(text), position: TextPosition()).path() else { return nil }
    self = path
  }
}
