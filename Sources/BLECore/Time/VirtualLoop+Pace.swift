import Synchronization

// A run whose clock follows the machine's instead of jumping, for programs with timers of their own.

/// The relation of a run's clock to the machine's.
struct Pacer {
  private let speed: Double
  private let virtualBegin: StackInstant
  private let begin = ContinuousClock.now

  init(speed: Double, from instant: StackInstant) {
    self.speed = speed
    virtualBegin = instant
  }

  var now: StackInstant { virtualBegin + .fractionalSeconds((ContinuousClock.now - begin) / .seconds(1) * speed) }

  /// The real time until the clock reaches `instant`.
  func delay(until instant: StackInstant) -> Duration { .seconds(max(0, (instant - now).seconds / speed)) }
}

/// A run that waits for the machine's clock. Under the loop's lock.
struct PacedRest {
  /// Seconds of the loop's time for each second of real time; `nil`: as fast as the machine can.
  var speed: Double?
  private(set) var isResting = false
  private var number: UInt64 = 0

  mutating func begin() -> UInt64 {
    isResting = true
    number &+= 1
    return number
  }

  /// - Returns: whether a rest was ended by this call, whose caller then has to continue the run.
  mutating func end(_ number: UInt64? = nil) -> Bool {
    guard isResting, number == nil || number == self.number else { return false }
    isResting = false
    return true
  }
}

extension VirtualLoop {
  /// Sets the pace of later runs: seconds of the loop's time for each second of real time, more than 0; `nil`, the default: as
  /// fast as the machine can. With a pace, the times of jobs depend on the program's own timers and threads, and runs are no
  /// longer reproducible.
  public func setPace(_ speed: Double?) { shared.withLock { $0.rest.speed = speed } }

  /// The pace of later runs.
  public var pace: Double? { shared.withLock { $0.rest.speed } }

  /// The instant up to which the clock may advance now.
  func reachableInstant() -> StackInstant { pacer?.now ?? .distantFuture }

  /// Advances the clock to the instant that the pace allows, unless something is due before: a run continues after a rest, or
  /// after callbacks that took time.
  func followMachine() {
    guard let pacer else { return }
    moveClock(to: min(pacer.now, rounds.timers.nextDeadline() ?? .distantFuture, rounds.goal.limit))
  }

  /// How often a condition is evaluated while nothing happens on the loop: the program's own timers may fulfil it.
  private static let look = Duration.milliseconds(10)

  /// Waits for the machine's clock.
  /// - Returns: false if there is something to do first.
  func rest() -> Bool {
    guard let pacer else { return false }
    var delay = pacer.delay(until: min(rounds.timers.nextDeadline() ?? .distantFuture, rounds.goal.limit))
    if case .condition = rounds.goal { delay = min(delay, Self.look) }
    let number: UInt64? = shared.withLock { shared in
      shared.jobs.isEmpty && shared.outstanding == 0 ? shared.rest.begin() : nil
    }
    guard let number else { return false }
    Task.detached { [delay] in
      try? await Task.sleep(for: delay)
      if self.shared.withLock({ $0.rest.end(number) }) { self.proceed() }
    }
    return true
  }
}
