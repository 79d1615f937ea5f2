import Synchronization

/// A loop whose clock jumps to the next event as soon as everything is quiet.
///
/// One loop carries all stacks and the radio of a simulated world, so that a whole conversation between two devices runs
/// without a thread switch. It works in rounds: first the jobs that were submitted, in the order of their origins; then the
/// timers of this instant; then the callbacks that came of it go out to the programs' queues, and the next round starts when
/// the last of them has returned, *on the thread on which it returned*. Only when there is neither job nor callback the
/// clock moves. A run is therefore the same each time, whatever the threads do.
///
/// Nothing runs between two calls of `run(until:)`.
///
/// `@unchecked Sendable`: `Rounds` is touched only by the one thread that holds the baton, which `Shared.isRunning` under
/// its mutex says; everything else is behind that mutex or atomic.
public final class VirtualLoop: StackLoop, @unchecked Sendable {
  /// When `run(until:)` is over.
  public enum Goal: Sendable {
    /// Nothing is under way any more: no job, no callback, no timer of the kind `.work`; at the latest at `limit`.
    case quiet(limit: StackInstant)
    /// The clock stands at this instant, and everything due by then has been done.
    case instant(StackInstant)
    /// `condition` holds; asked on the loop after each round and each instant; at the latest at `limit`.
    case condition(limit: StackInstant, @Sendable () -> Bool)
  }

  public enum Outcome: Sendable, Equatable {
    case reached
    /// `limit` came first.
    case limitPassed
  }

  private struct Shared {
    var jobs: [(origin: JobOrigin, job: @Sendable () -> Void)] = []
    var isRunning = false
    /// Callbacks that went out and have not returned, and what else runs outside the loop and has to come to its end first.
    var outstanding = 0
    /// The run waits for `outstanding` to become 0; whoever makes it so goes on.
    var isParked = false
    var nextOrigin: UInt32 = 1
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private struct Rounds {
    var timers = TimerQueue()
    var deliveries: [any CallbackDelivery] = []
    var goal = Goal.instant(.zero)
    var finish: (@Sendable (Outcome) -> Void)?
  }

  private let time = Atomic<Int64>(0)
  private let shared = Mutex(Shared())
  private var rounds = Rounds()

  public init() {}

  public var isVirtual: Bool { true }
  public var now: StackInstant { StackInstant(nanoseconds: time.load(ordering: .relaxed)) }

  public func makeOrigin() -> JobOrigin {
    shared.withLock { shared in
      defer { shared.nextOrigin += 1 }
      return JobOrigin(rawValue: shared.nextOrigin)
    }
  }

  public func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) {
    shared.withLock { $0.jobs.append((origin, job)) }
  }

  @discardableResult
  public func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken {
    rounds.timers.schedule(at: max(deadline, now), kind, target, tag: tag)
  }

  public func cancel(_ token: TimerToken) { rounds.timers.cancel(token) }

  public func deliver(_ delivery: any CallbackDelivery) { rounds.deliveries.append(delivery) }

  /// Runs the loop until `goal`. One run at a time: a second one waits for the first.
  @discardableResult
  public func run(until goal: Goal) async -> Outcome {
    while !(shared.withLock { shared in
      if shared.isRunning { return false }
      shared.isRunning = true
      return true
    }) {
      await withCheckedContinuation { continuation in
        let isFree = shared.withLock { shared in
          if shared.isRunning { shared.waiting.append(continuation) }
          return !shared.isRunning
        }
        if isFree { continuation.resume() }
      }
    }
    let outcome = await withCheckedContinuation { continuation in
      rounds.goal = goal
      rounds.finish = { continuation.resume(returning: $0) }
      proceed()
    }
    // The thread sanitizer is not told of a continuation that another thread has resumed before this one began to wait for it. It
    // understands the lock, which was taken behind everything that the run did.
    shared.withLock { _ in }
    return outcome
  }

  /// Something outside the loop is under way that the clock has to wait for, such as a program's task. From any thread;
  /// `leave()` ends it.
  public func enter() { shared.withLock { $0.outstanding += 1 } }

  /// Ends what `enter()` began. The world may go on inside this call.
  public func leave() {
    let goesOn = shared.withLock { shared in
      shared.outstanding -= 1
      guard shared.outstanding == 0, shared.isParked else { return false }
      shared.isParked = false
      return true
    }
    if goesOn { proceed() }
  }

  /// Rounds until the goal is reached, or something is outside whose last then comes back here.
  private func proceed() {
    while true {
      switch nextStep() {
      case .jobs(let jobs): run(jobs)
      case .deliveries: dispatchDeliveries()
      case .wait: return
      case .clock:
        if let outcome = outcome() { return stop(outcome) }
        fireNextTimers()
      }
    }
  }

  private enum Step {
    case jobs([(origin: JobOrigin, job: @Sendable () -> Void)])
    case deliveries
    case wait
    case clock
  }

  private func nextStep() -> Step {
    let hasDeliveries = !rounds.deliveries.isEmpty
    return shared.withLock { shared in
      // A job of one program must not run while another program may still be submitting its own: their order would be chance.
      if shared.outstanding > 0 {
        shared.isParked = true
        return .wait
      }
      if !shared.jobs.isEmpty {
        var taken: [(origin: JobOrigin, job: @Sendable () -> Void)] = []
        swap(&taken, &shared.jobs)
        return .jobs(taken)
      }
      if hasDeliveries { return .deliveries }
      return .clock
    }
  }

  private func run(_ jobs: [(origin: JobOrigin, job: @Sendable () -> Void)]) {
    // Swift's sort is stable: jobs of one origin keep their order.
    let ordered = jobs.count > 1 ? jobs.sorted { $0.origin < $1.origin } : jobs
    for entry in ordered { entry.job() }
  }

  private func dispatchDeliveries() {
    var deliveries: [any CallbackDelivery] = []
    swap(&deliveries, &rounds.deliveries)
    // All of them before the first can end: the run must not go on in between.
    shared.withLock { $0.outstanding += deliveries.count }
    for delivery in deliveries { delivery.dispatch { [self] in leave() } }
  }

  private func outcome() -> Outcome? {
    switch rounds.goal {
    case .quiet(let limit):
      if rounds.timers.workCount == 0 { return .reached }
      return isNextTimer(after: limit) ? .limitPassed : nil
    case .instant(let instant):
      if !isNextTimer(after: instant) { return nil }
      moveClock(to: instant)
      return .reached
    case .condition(let limit, let condition):
      if condition() { return .reached }
      if !isNextTimer(after: limit) { return nil }
      moveClock(to: limit)
      return .limitPassed
    }
  }

  private func isNextTimer(after instant: StackInstant) -> Bool {
    guard let deadline = rounds.timers.nextDeadline() else { return true }
    return deadline > instant
  }

  private func moveClock(to instant: StackInstant) {
    if instant > now { time.store(instant.nanoseconds, ordering: .relaxed) }
  }

  private func fireNextTimers() {
    guard let deadline = rounds.timers.nextDeadline() else { return }
    moveClock(to: deadline)
    while let (target, tag) = rounds.timers.popDue(by: deadline) { target.timerFired(tag: tag) }
  }

  private func stop(_ outcome: Outcome) {
    let finish = rounds.finish
    rounds.finish = nil
    let waiting = shared.withLock { shared in
      shared.isRunning = false
      defer { shared.waiting.removeAll() }
      return shared.waiting
    }
    for continuation in waiting { continuation.resume() }
    finish?(outcome)
  }
}
