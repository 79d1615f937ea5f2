import Synchronization

// A run whose clock goes with the machine's instead of jumping, for programs with timers of their own.

/// How the clock of one run goes with the machine's.
struct Pacer {
  private let speed: Double
  private let virtualBegin: StackInstant
  private let begin = ContinuousClock.now

  init(speed: Double, from instant: StackInstant) {
    self.speed = speed
    virtualBegin = instant
  }

  var now: StackInstant { virtualBegin + .fractionalSeconds((ContinuousClock.now - begin) / .seconds(1) * speed) }

  /// How long it takes, in real time, until the clock stands at `instant`.
  func delay(until instant: StackInstant) -> Duration { .seconds(max(0, (instant - now).seconds / speed)) }
}

/// A run that waits until it is time. Under the loop's lock.
struct PacedRest {
  /// Seconds of the loop's time in one of real time; `nil`: as fast as the machine can.
  var speed: Double?
  private(set) var isResting = false
  private var number: UInt64 = 0

  mutating func begin() -> UInt64 {
    isResting = true
    number &+= 1
    return number
  }

  /// - Returns: whether there was a rest, which is over now: who asks has the baton.
  mutating func end(_ number: UInt64? = nil) -> Bool {
    guard isResting, number == nil || number == self.number else { return false }
    isResting = false
    return true
  }
}

extension VirtualLoop {
  /// At what pace runs go that are yet to begin: seconds of the loop's time in one of real time, more than 0; `nil`, as at the
  /// beginning: as fast as the machine can. At a pace, when jobs come in depends on the program's own timers and threads, and runs
  /// are no longer the same each time.
  public func setPace(_ speed: Double?) { shared.withLock { $0.rest.speed = speed } }

  /// At what pace runs go that are yet to begin.
  public var pace: Double? { shared.withLock { $0.rest.speed } }

  /// How far the clock may go now.
  func reachableInstant() -> StackInstant { rounds.pacer?.now ?? .distantFuture }

  /// Brings the clock to where the pace has it, as far as nothing is due before: a run goes on after a rest, or after callbacks
  /// that took their time.
  func followMachine() {
    guard let pacer = rounds.pacer else { return }
    moveClock(to: min(pacer.now, rounds.timers.nextDeadline() ?? .distantFuture, rounds.goal.limit))
  }

  /// How often a condition is asked while nothing happens on the loop: it may come to hold by the program's own timers.
  private static let look = Duration.milliseconds(10)

  /// Waits for the machine's clock.
  /// - Returns: false where there is something to do first.
  func rest() -> Bool {
    guard let pacer = rounds.pacer else { return false }
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
