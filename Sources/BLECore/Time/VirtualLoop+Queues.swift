import Synchronization

// The queues of programs that a run waits for.

extension VirtualLoop {
  /// Returns a number for another process.
  public func makeProcess() -> ProcessNumber {
    shared.withLock { shared in
      defer { shared.nextProcess += 1 }
      return ProcessNumber(rawValue: shared.nextProcess)
    }
  }

  public func follow(_ queue: ProgramQueue) { follow(queue, of: .common) }
  public func unfollow(_ queue: ProgramQueue) { unfollow(queue, of: .common) }

  /// Waits from now on for the blocks that `process` enqueues on `queue`, until `unfollow` was called as often. Until then, or until
  /// `end()`, the two keep each other: a weak reference to the loop would make each reference to it slower, and every packet has some.
  public func follow(_ queue: ProgramQueue, of process: ProcessNumber) {
    queue.whenPassed { [self, identity = queue.identity] in passed(identity) }
    shared.withLock { if !$0.hasEnded { $0.passage.follow(queue, of: process) } }
  }

  /// Ends one `follow`.
  public func unfollow(_ queue: ProgramQueue, of process: ProcessNumber) {
    shared.withLock { $0.passage.unfollow(queue, of: process) }
  }

  /// The loop itself has started code of programs, by resuming a task. On the loop.
  public func codeWasContinued() { shared.withLock { $0.passage.codeRuns(in: nil) } }

  func pass(_ round: QueuePassage.Round) {
    round.first?.passThrough(QueuePassage.turns)
    for queue in round.others { queue.passThrough(QueuePassage.turns) }
  }

  private func passed(_ queue: ObjectIdentifier) {
    let goesOn = shared.withLock { shared in shared.passage.arrived(queue) && shared.cameBack() }
    if goesOn { proceed() }
  }

  /// Continues without the queues whose blocks have not run: they are considered blocked.
  /// - Returns: their labels.
  public func abandonBlockedQueues() -> [String] {
    let (labels, goesOn) = shared.withLock { shared in
      let queues = shared.passage.abandon()
      var goesOn = false
      for _ in queues { goesOn = shared.cameBack() }
      return (queues.map(\.label), goesOn)
    }
    if goesOn { proceed() }
    return labels
  }

  /// The state of a loop, for observers.
  public struct Standing: Sendable {
    /// Whether a run is active.
    public var isRunning: Bool
    /// Increases with each step of a run.
    public var steps: UInt64
    /// The number of waiting jobs.
    public var jobs: Int
    /// The number of callbacks, tasks and queues that the run waits for.
    public var outstanding: Int
    /// Whether a run waits for queues.
    public var isWaitingForQueues: Bool
    /// Whether all of those were waited for in vain before.
    public var queuesAreSuspected: Bool
    /// Whether the run waits for the machine's clock, because it is paced.
    public var isResting: Bool
  }

  /// From any thread.
  public var standing: Standing {
    shared.withLock { shared in
      Standing(
        isRunning: shared.isRunning, steps: shared.steps, jobs: shared.jobs.count, outstanding: shared.outstanding,
        isWaitingForQueues: shared.passage.isWaiting, queuesAreSuspected: shared.passage.isWaitingForSuspectedOnly,
        isResting: shared.rest.isResting)
    }
  }

  /// The labels of all queues of programs, without duplicates, of which a large world has thousands. From any thread.
  public var queueLabels: [String] { shared.withLock { $0.passage.labels } }
}
