import Synchronization

// The queues of programs, and what a run waits for.

extension VirtualLoop {
  /// A number for one more process.
  public func makeProcess() -> ProcessNumber {
    shared.withLock { shared in
      defer { shared.nextProcess += 1 }
      return ProcessNumber(rawValue: shared.nextProcess)
    }
  }

  public func follow(_ queue: ProgramQueue) { follow(queue, of: .common) }
  public func unfollow(_ queue: ProgramQueue) { unfollow(queue, of: .common) }

  /// Waits from now on for what `process` puts onto `queue`, until `unfollow` was called as often.
  public func follow(_ queue: ProgramQueue, of process: ProcessNumber) {
    queue.whenPassed { [weak self, identity = queue.identity] in self?.passed(identity) }
    shared.withLock { $0.passage.follow(queue, of: process) }
  }

  /// Ends one `follow`.
  public func unfollow(_ queue: ProgramQueue, of process: ProcessNumber) {
    shared.withLock { $0.passage.unfollow(queue, of: process) }
  }

  /// Code of programs has been set going by the loop itself, by continuing a task. On the loop.
  public func codeWasContinued() { shared.withLock { $0.passage.codeRuns(in: nil) } }

  func pass(_ round: QueuePassage.Round) {
    round.first?.passThrough(QueuePassage.turns)
    for queue in round.others { queue.passThrough(QueuePassage.turns) }
  }

  private func passed(_ queue: ObjectIdentifier) {
    let goesOn = shared.withLock { shared in shared.passage.arrived(queue) && shared.cameBack() }
    if goesOn { proceed() }
  }

  /// Continues without the queues whose blocks have not come through: they are taken to be blocked.
  /// - Returns: what they are called.
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

  /// How a loop stands, for those who look at it from outside.
  public struct Standing: Sendable {
    /// Whether there is a run.
    public var isRunning: Bool
    /// Grows with all that a run does.
    public var steps: UInt64
    /// How many jobs wait.
    public var jobs: Int
    /// The run waits for this many callbacks, tasks and queues.
    public var outstanding: Int
    /// Queues that a run waits for.
    public var queuesWaitedFor: [String]
    /// Whether those were all waited for in vain before.
    public var queuesAreSuspected: Bool
    /// All queues of programs.
    public var queues: [String]
    /// The run waits until it is time, since it is paced.
    public var isResting: Bool
  }

  /// From any thread.
  public var standing: Standing {
    shared.withLock { shared in
      Standing(
        isRunning: shared.isRunning, steps: shared.steps, jobs: shared.jobs.count, outstanding: shared.outstanding,
        queuesWaitedFor: shared.passage.labelsUnderWay, queuesAreSuspected: shared.passage.isWaitingForSuspectedOnly,
        queues: shared.passage.labels, isResting: shared.rest.isResting)
    }
  }
}
