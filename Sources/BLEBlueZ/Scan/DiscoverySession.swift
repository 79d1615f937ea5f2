import BLECore
import BLEHost

/// The daemon's discovery, shared by the process: on while a central scans, or while a device to connect to is not among the daemon's
/// objects.
final class DiscoverySession: TimerTarget {
  private enum Phase {
    case off
    case starting
    case on
    case stopping
    /// The daemon has refused; it is asked again after a delay.
    case waitingToRetry
  }

  /// The delays before the daemon is asked again; the last one repeats.
  private static let retryDelays: [StackDuration] = [.milliseconds(200), .seconds(1), .seconds(3), .seconds(10)]
  /// The time limit of a call.
  private static let answerLimit = StackDuration.seconds(25)

  private let bus: MessageBus
  private let loop: any StackLoop
  private let log: Logger
  private let adapter: String
  private var phase = Phase.off
  private var isWanted = false
  private var wantsDuplicates = false
  /// The filter that is set in the daemon.
  private var hasDuplicates: Bool?
  private var refusals = 0
  private var timer = TimerToken()
  private var isClosed = false
  private let rule: ScanWatch.Rule
  /// Set while discovery is requested.
  private var watch: ScanWatch?
  private var watchTimer = TimerToken()
  private var heardCount = 0
  private var heardAgainCount = 0
  /// Whether discovery is on but reports nothing, and has to be restarted.
  private var mustRestart = false
  private let restarted: () -> Void

  private enum TimerTag: Int {
    case retry
    case look
  }

  /// - Parameters:
  ///   - adapter: the path of the adapter that searches.
  ///   - rule: when discovery that no longer reports anything is restarted.
  ///   - restarted: called each time.
  init(
    bus: MessageBus, adapter: String, _ rule: ScanWatch.Rule, log: Logger, restarted: @escaping () -> Void
  ) {
    self.bus = bus
    self.restarted = restarted
    self.rule = rule
    loop = bus.loop
    self.adapter = adapter
    self.log = log
  }

  /// Sets what is requested from now on.
  func want(_ isWanted: Bool, duplicates: Bool) {
    if self.isWanted != isWanted { isWanted ? beginWatch() : endWatch() }
    self.isWanted = isWanted
    wantsDuplicates = duplicates
    if !isWanted, phase == .waitingToRetry {
      loop.cancel(timer)
      phase = .off
    }
    update()
  }

  /// Called when the adapter or the daemon is gone, and with it the discovery.
  func close() {
    isClosed = true
    loop.cancel(timer)
    endWatch()
  }

  func timerFired(tag: Int) {
    switch TimerTag(rawValue: tag) {
    case .retry:
      if phase == .waitingToRetry { phase = .off }
      update()
    case .look: look()
    case nil: break
    }
  }

  // MARK: Watching for silence

  /// Called when the daemon has reported an advertisement.
  /// - Parameter isRepeated: whether the device had been heard before.
  func heard(isRepeated: Bool) {
    heardCount &+= 1
    if isRepeated { heardAgainCount &+= 1 }
  }

  private func beginWatch() {
    watch = ScanWatch(rule, heard: heardCount, repeated: heardAgainCount)
    watchTimer = loop.schedule(after: rule.interval, .background, self, tag: TimerTag.look.rawValue)
  }

  private func endWatch() {
    watch = nil
    mustRestart = false
    loop.cancel(watchTimer)
  }

  private func look() {
    watchTimer = loop.schedule(after: rule.interval, .background, self, tag: TimerTag.look.rawValue)
    guard watch?.look(heard: heardCount, repeated: heardAgainCount, at: loop.now) == true, phase == .on else { return }
    restarted()
    log.log(.notice, "the daemon's discovery is restarted: \(watch?.reason ?? "")")
    mustRestart = true
    update()
  }

  // MARK: The daemon

  private func update() {
    if isClosed { return }
    switch phase {
    case .off: if isWanted { setFilter { [weak self] in self?.start() } }
    case .on:
      if !isWanted || mustRestart {
        stop()
      } else if hasDuplicates != wantsDuplicates {
        setFilter { [weak self] in
          self?.phase = .on
          self?.update()
        }
      }
    case .starting, .stopping, .waitingToRetry: break
    }
  }

  private func call(_ member: String, _ arguments: [BusValue] = [], _ done: @escaping (BusError?) -> Void) {
    bus.call(
      member, of: BlueZName.adapter, at: adapter, on: BlueZName.service, arguments, timeout: Self.answerLimit
    ) { [weak self] result in
      guard let self, !self.isClosed else { return }
      if case .failure(let error) = result { done(error) } else { done(nil) }
    }
  }

  /// The daemon merges the service filters of all programs, and has none for solicited services: so each scan filters by itself.
  private func setFilter(_ next: @escaping () -> Void) {
    phase = .starting
    let duplicates = wantsDuplicates
    hasDuplicates = duplicates
    let filter = BusValue.options(["Transport": .string("le"), "DuplicateData": .boolean(duplicates)])
    call("SetDiscoveryFilter", [filter]) { [weak self] error in
      // Without a filter the daemon reports more than is needed, which does not prevent discovery.
      if let error { self?.log.log(.info, "SetDiscoveryFilter: \(error)") }
      next()
    }
  }

  private func start() {
    guard isWanted else {
      phase = .off
      return
    }
    call("StartDiscovery") { [weak self] error in
      guard let self else { return }
      guard let error else {
        self.refusals = 0
        self.phase = .on
        return self.update()
      }
      self.retryLater(error)
    }
  }

  private func retryLater(_ error: BusError) {
    let level: LogLevel = refusals == 0 && error.name != BlueZName.Failure.inProgress ? .warning : .debug
    log.log(level, "the Bluetooth daemon does not start to scan yet: \(error)")
    phase = .waitingToRetry
    let delay = Self.retryDelays[min(refusals, Self.retryDelays.count - 1)]
    refusals += 1
    timer = loop.schedule(after: delay, .background, self, tag: TimerTag.retry.rawValue)
  }

  private func stop() {
    phase = .stopping
    mustRestart = false
    call("StopDiscovery") { [weak self] error in
      guard let self else { return }
      if let error { self.log.log(.debug, "StopDiscovery: \(error)") }
      self.phase = .off
      self.update()
    }
  }
}
