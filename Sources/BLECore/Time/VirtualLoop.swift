import Synchronization

/// A loop whose clock jumps to the next event as soon as everything is quiet.
///
/// One loop carries all stacks and the radio of a simulated world, so that a whole conversation between two devices runs
/// without a thread switch. It works in rounds: first the jobs that were submitted, in the order of their origins; then the
/// timers of this instant; then the callbacks that came of it go out to the programs' queues, and the next round starts when
/// the last of them has returned, *on the thread on which it returned*. What the programs have put onto their queues
/// meanwhile is waited for as well (`QueuePassage`). Only when there is neither job nor callback the clock moves. A run is
/// therefore the same each time, whatever the threads do.
///
/// Nothing runs between two calls of `run(until:)`.
///
/// With a pace the clock does not jump but goes with the machine's, during a run.
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

    /// The clock does not pass it.
    var limit: StackInstant {
      switch self {
      case .quiet(let limit), .instant(let limit), .condition(let limit, _): limit
      }
    }
  }

  public enum Outcome: Sendable, Equatable {
    case reached
    /// `limit` came first.
    case limitPassed
  }

  typealias Job = (origin: JobOrigin, job: @Sendable () -> Void)

  struct Shared {
    var jobs: [Job] = []
    var isRunning = false
    /// Callbacks that went out and have not returned, and what else runs outside the loop and has to come to its end first.
    var outstanding = 0
    /// The run waits for `outstanding` to become 0; whoever makes it so goes on.
    var isParked = false
    var passage = QueuePassage()
    /// Grows with all that a run does.
    var steps: UInt64 = 0
    /// Whether jobs were run since the clock moved.
    var hasRunJobs = false
    var rest = PacedRest()
    var nextOrigin: UInt32 = 1
    var nextProcess: UInt32 = 1
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  struct Rounds {
    var timers = TimerQueue()
    var deliveries: [(delivery: any CallbackDelivery, process: ProcessNumber?)] = []
    var goal = Goal.instant(.zero)
    var finish: (@Sendable (Outcome) -> Void)?
    /// How the clock goes with the machine's, in this run.
    var pacer: Pacer?
  }

  let time = Atomic<Int64>(0)
  let shared = Mutex(Shared())
  var rounds = Rounds()

  private let exhausted: (@Sendable ([String]) -> Void)?

  /// - Parameter exhausted: called when programs put blocks onto their queues without end while the clock stands, with what the
  ///   queues are called; for the rest of the run they are not waited for.
  public init(exhausted: (@Sendable (_ queues: [String]) -> Void)? = nil) { self.exhausted = exhausted }

  public var isVirtual: Bool { true }
  public var now: StackInstant { StackInstant(nanoseconds: time.load(ordering: .relaxed)) }

  public func makeOrigin() -> JobOrigin {
    shared.withLock { shared in
      defer { shared.nextOrigin += 1 }
      return JobOrigin(rawValue: shared.nextOrigin)
    }
  }

  public func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) {
    let isResting = shared.withLock { shared in
      shared.jobs.append((origin, job))
      return shared.rest.end()
    }
    // Not inside the program's call.
    if isResting { Task.detached { self.proceed() } }
  }

  @discardableResult
  public func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken {
    rounds.timers.schedule(at: max(deadline, now), kind, target, tag: tag)
  }

  public func cancel(_ token: TimerToken) { rounds.timers.cancel(token) }

  public func deliver(_ delivery: any CallbackDelivery) { rounds.deliveries.append((delivery, nil)) }

  /// As `deliver(_:)`: what the callbacks put onto queues, they put onto those of `process`.
  public func deliver(_ delivery: any CallbackDelivery, in process: ProcessNumber) {
    rounds.deliveries.append((delivery, process))
  }

  /// Runs the loop until `goal`. One run at a time: a second one waits for the first.
  /// - Parameter finally: called on the loop at the end, before another run can begin.
  @discardableResult
  public func run(until goal: Goal, finally: (@Sendable (Outcome) -> Void)? = nil) async -> Outcome {
    while !(shared.withLock { shared in
      if shared.isRunning { return false }
      shared.isRunning = true
      shared.passage.runBegins()
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
      rounds.pacer = shared.withLock { $0.rest.speed }.map { Pacer(speed: $0, from: now) }
      rounds.finish = { [self] outcome in
        finally?(outcome)
        release()
        continuation.resume(returning: outcome)
      }
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
  /// - Parameter mayHaveUsedQueues: whether it may have put blocks onto programs' queues.
  public func leave(mayHaveUsedQueues: Bool = false) {
    let goesOn = shared.withLock { shared in
      if mayHaveUsedQueues { shared.passage.codeRuns(in: nil) }
      return shared.cameBack()
    }
    if goesOn { proceed() }
  }

  /// Rounds until the goal is reached, something is outside whose last then comes back here, or it is not time yet.
  func proceed() {
    followMachine()
    while true {
      switch nextStep() {
      case .jobs(let jobs): run(jobs)
      case .passage(let round): pass(round)
      case .deliveries: dispatchDeliveries()
      case .wait: return
      case .clock:
        let reachable = reachableInstant()
        if let outcome = outcome(reachable) { return stop(outcome) }
        guard let next = nextInstant(), next <= reachable else {
          if rest() { return }
          continue
        }
        fireTimers(at: next)
      }
    }
  }

  private enum Step {
    case jobs([Job])
    case passage(QueuePassage.Round)
    case deliveries
    case wait
    case clock
  }

  private func nextStep() -> Step {
    let hasDeliveries = !rounds.deliveries.isEmpty
    let (step, endless): (Step, [String]) = shared.withLock { shared in
      let step = nextStep(&shared, hasDeliveries)
      return (step, shared.passage.takeExhaustion())
    }
    if !endless.isEmpty { exhausted?(endless) }
    return step
  }

  private func nextStep(_ shared: inout Shared, _ hasDeliveries: Bool) -> Step {
    shared.steps &+= 1
    // A job of one program must not run while another program may still be submitting its own: their order would be chance.
    if shared.outstanding > 0 {
      shared.isParked = true
      return .wait
    }
    let round = shared.passage.nextRound(jobs: shared.jobs.count)
    if round.count > 0 {
      shared.outstanding += round.count
      return .passage(round)
    }
    // A program that never comes to an end does not keep the clock: it is heard once at each instant.
    if !shared.jobs.isEmpty, !shared.passage.isExhausted || !shared.hasRunJobs {
      shared.hasRunJobs = true
      shared.passage.jobsWereTaken()
      var taken: [Job] = []
      swap(&taken, &shared.jobs)
      return .jobs(taken)
    }
    return hasDeliveries ? .deliveries : .clock
  }

  private func run(_ jobs: [Job]) {
    // Swift's sort is stable: jobs of one origin keep their order.
    let ordered = jobs.count > 1 ? jobs.sorted { $0.origin < $1.origin } : jobs
    for entry in ordered { entry.job() }
  }

  private func dispatchDeliveries() {
    var deliveries: [(delivery: any CallbackDelivery, process: ProcessNumber?)] = []
    swap(&deliveries, &rounds.deliveries)
    // All of them before the first can end: the run must not go on in between.
    shared.withLock { shared in
      shared.outstanding += deliveries.count
      for entry in deliveries { shared.passage.codeRuns(in: entry.process) }
    }
    for entry in deliveries { entry.delivery.dispatch { [self] in leave() } }
  }

  /// - Parameter reachable: how far the clock may go now.
  private func outcome(_ reachable: StackInstant) -> Outcome? {
    switch rounds.goal {
    case .quiet(let limit):
      if rounds.timers.workCount == 0 { return .reached }
      return isNextTimer(after: limit) ? .limitPassed : nil
    case .instant(let instant):
      if !isNextTimer(after: instant) || instant > reachable { return nil }
      moveClock(to: instant)
      return .reached
    case .condition(let limit, let condition):
      if condition() { return .reached }
      if !isNextTimer(after: limit) || limit > reachable { return nil }
      moveClock(to: limit)
      return .limitPassed
    }
  }

  private func isNextTimer(after instant: StackInstant) -> Bool {
    guard let deadline = rounds.timers.nextDeadline() else { return true }
    return deadline > instant
  }

  /// The next instant at which there is something to do; `nil` where a goal's limit comes before.
  private func nextInstant() -> StackInstant? {
    guard let deadline = rounds.timers.nextDeadline(), deadline <= rounds.goal.limit else { return nil }
    return deadline
  }

  func moveClock(to instant: StackInstant) {
    guard instant > now else { return }
    time.store(instant.nanoseconds, ordering: .relaxed)
    shared.withLock { $0.hasRunJobs = false }
  }

  private func fireTimers(at deadline: StackInstant) {
    moveClock(to: deadline)
    while let (target, tag) = rounds.timers.popDue(by: deadline) { target.timerFired(tag: tag) }
  }

  private func stop(_ outcome: Outcome) {
    let finish = rounds.finish
    rounds.finish = nil
    finish?(outcome)
  }

  /// Lets the next run begin.
  private func release() {
    let waiting = shared.withLock { shared in
      shared.isRunning = false
      defer { shared.waiting.removeAll() }
      return shared.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

extension VirtualLoop.Shared {
  /// One of what was outside has come back.
  /// - Returns: whether the run continues now.
  mutating func cameBack() -> Bool {
    outstanding -= 1
    guard outstanding == 0, isParked else { return false }
    isParked = false
    return true
  }
}
