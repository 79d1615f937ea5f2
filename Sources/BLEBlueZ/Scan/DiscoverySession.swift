import BLECore
import BLEHost

/// The daemon's search for devices, one for all of the process: on as long as somebody scans, or a device that is to be connected to is
/// not among the daemon's objects.
final class DiscoverySession: TimerTarget {
  private enum Phase {
    case off
    case starting
    case on
    case stopping
    /// The daemon refused; it is asked again.
    case resting
  }

  /// The pauses before the daemon is asked again; the last one stays.
  private static let restDelays: [StackDuration] = [.milliseconds(200), .seconds(1), .seconds(3), .seconds(10)]
  /// How long an answer is awaited.
  private static let answerLimit = StackDuration.seconds(25)

  private let bus: MessageBus
  private let loop: any StackLoop
  private let log: Logger
  private let adapter: String
  private var phase = Phase.off
  private var isWanted = false
  private var wantsDuplicates = false
  /// The filter that the daemon has.
  private var hasDuplicates: Bool?
  private var refusals = 0
  private var timer = TimerToken()
  private var isClosed = false
  private let rule: ScanWatch.Rule
  /// There while the search is wanted.
  private var watch: ScanWatch?
  private var watchTimer = TimerToken()
  private var heardCount = 0
  private var heardAgainCount = 0
  /// It is on, and hears nothing.
  private var mustBeginAgain = false
  private let beganAgain: () -> Void

  private enum TimerTag: Int {
    case rest
    case look
  }

  /// - Parameters:
  ///   - adapter: the path of the adapter that searches.
  ///   - rule: when a search that hears nothing any more is begun again.
  ///   - beganAgain: told each time.
  init(
    bus: MessageBus, adapter: String, _ rule: ScanWatch.Rule, log: Logger, beganAgain: @escaping () -> Void
  ) {
    self.bus = bus
    self.beganAgain = beganAgain
    self.rule = rule
    loop = bus.loop
    self.adapter = adapter
    self.log = log
  }

  /// Says what is wanted from now on.
  func want(_ isWanted: Bool, duplicates: Bool) {
    if self.isWanted != isWanted { isWanted ? beginWatch() : endWatch() }
    self.isWanted = isWanted
    wantsDuplicates = duplicates
    if !isWanted, phase == .resting {
      loop.cancel(timer)
      phase = .off
    }
    update()
  }

  /// The adapter or the daemon is gone, and with it the search.
  func close() {
    isClosed = true
    loop.cancel(timer)
    endWatch()
  }

  func timerFired(tag: Int) {
    switch TimerTag(rawValue: tag) {
    case .rest:
      if phase == .resting { phase = .off }
      update()
    case .look: look()
    case nil: break
    }
  }

  // MARK: Whether it hears

  /// The daemon has told of an advertisement.
  /// - Parameter isAgain: whether the device had been heard before.
  func heard(isAgain: Bool) {
    heardCount &+= 1
    if isAgain { heardAgainCount &+= 1 }
  }

  private func beginWatch() {
    watch = ScanWatch(rule, heard: heardCount, repeated: heardAgainCount)
    watchTimer = loop.schedule(after: rule.interval, .background, self, tag: TimerTag.look.rawValue)
  }

  private func endWatch() {
    watch = nil
    mustBeginAgain = false
    loop.cancel(watchTimer)
  }

  private func look() {
    watchTimer = loop.schedule(after: rule.interval, .background, self, tag: TimerTag.look.rawValue)
    guard watch?.look(heard: heardCount, repeated: heardAgainCount, at: loop.now) == true, phase == .on else { return }
    beganAgain()
    log.log(.notice, "the daemon's search is begun again: \(watch?.reason ?? "")")
    mustBeginAgain = true
    update()
  }

  // MARK: The daemon

  private func update() {
    if isClosed { return }
    switch phase {
    case .off: if isWanted { setFilter { [weak self] in self?.start() } }
    case .on:
      if !isWanted || mustBeginAgain {
        stop()
      } else if hasDuplicates != wantsDuplicates {
        setFilter { [weak self] in
          self?.phase = .on
          self?.update()
        }
      }
    case .starting, .stopping, .resting: break
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

  /// The daemon's filters of services are those of all programs together, and do not know solicited ones: each scan judges for itself.
  private func setFilter(_ next: @escaping () -> Void) {
    phase = .starting
    let duplicates = wantsDuplicates
    hasDuplicates = duplicates
    let filter = BusValue.options(["Transport": .string("le"), "DuplicateData": .boolean(duplicates)])
    call("SetDiscoveryFilter", [filter]) { [weak self] error in
      // Without a filter more is heard than is wanted, which is no reason to hear nothing.
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
      self.rest(error)
    }
  }

  private func rest(_ error: BusError) {
    let level: LogLevel = refusals == 0 && error.name != BlueZName.Failure.inProgress ? .warning : .debug
    log.log(level, "the Bluetooth daemon does not start to scan yet: \(error)")
    phase = .resting
    let delay = Self.restDelays[min(refusals, Self.restDelays.count - 1)]
    refusals += 1
    timer = loop.schedule(after: delay, .background, self, tag: TimerTag.rest.rawValue)
  }

  private func stop() {
    phase = .stopping
    mustBeginAgain = false
    call("StopDiscovery") { [weak self] error in
      guard let self else { return }
      if let error { self.log.log(.debug, "StopDiscovery: \(error)") }
      self.phase = .off
      self.update()
    }
  }
}
