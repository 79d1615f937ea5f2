import Synchronization

/// A loop whose clock jumps to the next event as soon as nothing is pending.
///
/// One loop carries all stacks and the radio of a simulated world, so that a whole conversation between two devices runs without
/// a thread switch. It works in rounds: first the submitted jobs, in the order of their origins; then the timers of this instant;
/// then the resulting callbacks are delivered to the programs' queues, and the next round starts when the last of them has
/// returned, *on the thread on which it returned*. Blocks that the programs have enqueued in the meantime are waited for as well
/// (`QueuePassage`). The clock advances only when there are neither jobs nor callbacks. A run is therefore reproducible, whatever
/// the threads do.
///
/// Nothing runs between two calls of `run(until:)`.
///
/// With a pace the clock does not jump but follows the machine's, during a run.
///
/// `@unchecked Sendable`: `Rounds` is used only by the one thread that runs the loop, which is tracked by `Shared.isRunning`
/// under its mutex; everything else is guarded by that mutex or atomic.
public final class VirtualLoop: StackLoop, @unchecked Sendable {
  /// When `run(until:)` ends.
  public enum Goal: Sendable {
    /// Nothing is pending: no job, no callback, no timer of kind `.work`; at the latest at `limit`.
    case quiet(limit: StackInstant)
    /// The clock has reached this instant, and everything due by then was done.
    case instant(StackInstant)
    /// `condition` returns true; evaluated on the loop after each round and each instant; at the latest at `limit`.
    case condition(limit: StackInstant, @Sendable () -> Bool)

    /// The clock does not advance beyond it.
    var limit: StackInstant {
      switch self {
      case .quiet(let limit), .instant(let limit), .condition(let limit, _): limit
      }
    }
  }

  public enum Outcome: Sendable, Equatable {
    case reached
    /// `limit` was reached first.
    case limitPassed
  }

  typealias Delivery = (delivery: any CallbackDelivery, process: ProcessNumber?)
  // Structures: of functions in tuples the compiler makes another form, an object for each.
  struct Job: Sendable {
    let origin: JobOrigin
    /// The life of the process whose job it is; `nil`: it is done in any case.
    let life: ProcessLife?
    let job: @Sendable () -> Void
  }

  struct Shared {
    var jobs: [Job] = []
    /// The room of callbacks that were delivered, for the next ones.
    var spare: [Delivery] = []
    var isRunning = false
    /// Nothing runs it any more.
    var hasEnded = false
    /// The number of delivered callbacks that have not returned, and of other activities outside the loop that have to end first.
    var outstanding = 0
    /// The run waits until `outstanding` is 0; the thread that makes it 0 continues the run.
    var isParked = false
    var passage = QueuePassage()
    /// Increases with each step of a run.
    var steps: UInt64 = 0
    /// Whether jobs have run since the clock advanced.
    var hasRunJobs = false
    var rest = PacedRest()
    var nextOrigin: UInt32 = 1
    var nextProcess: UInt32 = 1
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  struct Rounds {
    var timers = TimerQueue()
    var deliveries: [Delivery] = []
    /// The room of jobs that were done, for the next ones.
    var spareJobs: [Job] = []
    var goal = Goal.instant(.zero)
    var finish: (@Sendable (Outcome) -> Void)?
    var order = JobOrder()
    var watch: (@Sendable (StackInstant) -> Bool)?
    /// The watch has ended this loop: its clock does not advance any more.
    var isHalted = false
    /// Nothing runs the loop any more.
    var hasEnded = false
  }

  let time = Atomic<Int64>(0)
  let shared = Mutex(Shared())
  /// The relation of the clock to the machine's, in this run. As `rounds`, used by the thread that runs the loop.
  var pacer: Pacer?
  private let roundsInUse = ExclusiveValue(Rounds())
  var rounds: Rounds {
    // A function of its own for each would allocate.
    @inline(__always) _read { yield roundsInUse.value }
    @inline(__always) _modify { yield &roundsInUse.value }
  }

  private let exhausted: (@Sendable ([String]) -> Void)?

  /// - Parameter exhausted: called with the labels of the queues when programs enqueue blocks without end while the clock stands
  ///   still; for the rest of the run they are not waited for.
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
    submit(from: origin, during: nil, job)
  }

  /// As `submit(from:_:)`; the job is discarded if `life` has ended before its turn.
  public func submit(from origin: JobOrigin, during life: ProcessLife?, _ job: @escaping @Sendable () -> Void) {
    let isResting = shared.withLock { shared in
      if shared.hasEnded { return false }
      shared.jobs.append(Job(origin: origin, life: life, job: job))
      return shared.rest.end()
    }
    // Not inside the program's call.
    if isResting { Task.detached { self.proceed() } }
  }

  /// Nothing runs the loop any more: discards jobs, timers, callbacks and queues of programs, also those that come later. What they refer to
  /// refers to the loop, which would otherwise keep itself in memory. Not during a run.
  public func end() {
    let ended = shared.withLock { shared in
      shared.hasEnded = true
      let ended = (shared.jobs, shared.passage)
      (shared.jobs, shared.passage) = ([], QueuePassage())
      return ended
    }
    // What is released may use the loop: not under the lock, and not while the rounds are changed.
    var last = Rounds()
    last.hasEnded = true
    swap(&last, &rounds)
    withExtendedLifetime((ended, last)) {}
  }

  @discardableResult
  public func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken {
    rounds.hasEnded ? TimerToken() : rounds.timers.schedule(at: max(deadline, now), kind, target, tag: tag)
  }

  public func cancel(_ token: TimerToken) { rounds.timers.cancel(token) }

  public func deliver(_ delivery: any CallbackDelivery) { rounds.deliveries.append((delivery, nil)) }

  /// As `deliver(_:)`; the blocks that the callbacks enqueue are on queues of `process`.
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
      pacer = shared.withLock { $0.rest.speed }.map { Pacer(speed: $0, from: now) }
      rounds.finish = { [self] outcome in
        finally?(outcome)
        release()
        continuation.resume(returning: outcome)
      }
      proceed()
    }
    // The thread sanitizer does not see the synchronization by a continuation that another thread has resumed before this one
    // began to wait for it. It understands the lock, which was taken after everything that the run did.
    shared.withLock { _ in }
    return outcome
  }

  /// Makes the clock wait for an activity outside the loop, such as a program's task, until `leave()` is called. From any thread.
  public func enter() { shared.withLock { $0.outstanding += 1 } }

  /// Ends what `enter()` began. The world may continue inside this call.
  /// - Parameter mayHaveUsedQueues: whether blocks may have been enqueued on programs' queues.
  public func leave(mayHaveUsedQueues: Bool = false) {
    let goesOn = shared.withLock { shared in
      if mayHaveUsedQueues { shared.passage.codeRuns(in: nil) }
      return shared.cameBack()
    }
    if goesOn { proceed() }
  }

  /// Runs rounds until the goal is reached, activities outside are pending (the last of which calls this again), or the pace
  /// requires a rest.
  func proceed() {
    followMachine()
    while true {
      switch nextStep() {
      case .jobs(let jobs): run(consume jobs)
      case .passage(let round): pass(round)
      case .deliveries: dispatchDeliveries()
      case .wait: return
      case .clock:
        if isHalted() { return stop(.limitPassed) }
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

  /// The number of jobs that are run at one instant while a program submits jobs without end.
  private static let endlessJobLimit = 10_000

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
    // A job of one program must not run while another program may still be submitting its own: their order would be random.
    if shared.outstanding > 0 {
      shared.isParked = true
      return .wait
    }
    let round = shared.passage.nextRound(jobs: shared.jobs.count)
    if round.count > 0 {
      shared.outstanding += round.count
      return .passage(round)
    }
    // A program that submits jobs without end does not stop the clock: its jobs run once at each instant.
    if !shared.jobs.isEmpty, !shared.passage.isExhausted || !shared.hasRunJobs {
      shared.hasRunJobs = true
      shared.passage.jobsWereTaken(shared.jobs.count)
      var taken: [Job] = []
      swap(&taken, &rounds.spareJobs)
      swap(&taken, &shared.jobs)
      // Such a program may submit jobs faster than they are run: each instant would have more of them than the one before.
      if shared.passage.isExhausted, taken.count > Self.endlessJobLimit {
        shared.jobs = Array(taken[Self.endlessJobLimit...])
        taken.removeLast(taken.count - Self.endlessJobLimit)
      }
      return .jobs(taken)
    }
    return hasDeliveries ? .deliveries : .clock
  }

  private func run(_ taken: consuming [Job]) {
    var jobs = consume taken
    rounds.order.order(&jobs)
    for entry in jobs where entry.life?.hasEnded != true { entry.job() }
    jobs.removeAll(keepingCapacity: jobs.count <= 64)
    rounds.spareJobs = jobs
  }

  private func dispatchDeliveries() {
    var deliveries: [Delivery] = []
    swap(&deliveries, &rounds.deliveries)
    rounds.order.vary(&deliveries)
    // All of them before the first can end: the run must not continue in between.
    shared.withLock { shared in
      shared.outstanding += deliveries.count
      for entry in deliveries { shared.passage.codeRuns(in: entry.process) }
      swap(&rounds.deliveries, &shared.spare)
    }
    for entry in deliveries { entry.delivery.dispatch { [self] in leave() } }
    // The run may continue on another thread by now: only what the lock protects is touched.
    deliveries.removeAll(keepingCapacity: deliveries.count <= 64)
    shared.withLock { if $0.spare.isEmpty { $0.spare = deliveries } }
  }

  /// - Parameter reachable: the instant up to which the clock may advance now.
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

  /// The next instant with something to do; `nil` if a goal's limit is before it.
  private func nextInstant() -> StackInstant? {
    guard let deadline = rounds.timers.nextDeadline(), deadline <= rounds.goal.limit else { return nil }
    return deadline
  }

  func moveClock(to instant: StackInstant) {
    guard instant > now else { return }
    time.store(instant.nanoseconds, ordering: .relaxed)
    shared.withLock { shared in
      shared.hasRunJobs = false
      shared.passage.clockMoved()
    }
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
  /// One of the activities outside has ended.
  /// - Returns: whether the run continues now.
  mutating func cameBack() -> Bool {
    outstanding -= 1
    guard outstanding == 0, isParked else { return false }
    isParked = false
    return true
  }
}
