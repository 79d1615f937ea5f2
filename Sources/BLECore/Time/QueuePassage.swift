/// Which queues a simulated loop has to pass through after a program's code has run, before the loop continues.
///
/// A program may have put blocks onto its queues, from its callbacks or from the test. Nothing says so: a block of the loop's own
/// behind them does. A block may have put another one onto the same queue, so the loop's block goes round that queue a few times; or
/// onto another one, so there is a second round where there are several queues. When a round brings work, all of it is done again.
/// Under the loop's lock.
struct QueuePassage {
  /// How many queues are waited for, and through which of them the loop's block has to go: where it is still on its way from an earlier
  /// run, it is waited for and not sent again.
  struct Round {
    var count = 0
    /// One by itself: most programs have one queue, and an array would be made behind each callback.
    var first: ProgramQueue?
    var others: [ProgramQueue] = []
  }

  private struct Followed {
    let queue: ProgramQueue
    /// How many managers use it.
    var uses: Int
  }

  /// How many blocks, each put onto its queue by the one before and none of them asking for anything, are waited for: so often the
  /// loop's block goes round. All on the queue's own thread, so that it costs little.
  static let turns = 3
  /// Rounds where there are several queues.
  private static let rounds = 2
  /// How many rounds in a row may bring work before the program is taken to do that for ever.
  private static let limit = 10_000

  private var followed: [ProcessNumber: [ObjectIdentifier: Followed]] = [:]
  /// Where code has run that was not passed behind yet.
  private var processes: Set<ProcessNumber> = []
  private var isEverywhere = false
  private var roundsLeft = 0
  private var roundsInARow = 0
  private var jobsSeen = 0
  /// Queues through which the loop's block has not come yet, and which the run waits for.
  private var waitedFor: [ObjectIdentifier: ProgramQueue] = [:]
  /// All on which that block is, those included that were given up.
  private var underWay: [ObjectIdentifier: ProgramQueue] = [:]
  /// Queues that are not waited for in this run: a block there did not come through.
  private var blocked: Set<ObjectIdentifier> = []
  /// Those, and the ones of earlier runs, until a block comes through.
  private var suspected: Set<ObjectIdentifier> = []
  /// Whether a program has put blocks onto its queues without end; until the next run it is not waited for.
  private(set) var isExhausted = false
  /// What the queues are called on which that was, until it has been said.
  private var exhausted: [String] = []

  mutating func follow(_ queue: ProgramQueue, of process: ProcessNumber) {
    followed[process, default: [:]][queue.identity, default: Followed(queue: queue, uses: 0)].uses += 1
  }

  mutating func unfollow(_ queue: ProgramQueue, of process: ProcessNumber) {
    guard var entry = followed[process]?[queue.identity] else { return }
    entry.uses -= 1
    followed[process]?[queue.identity] = entry.uses > 0 ? entry : nil
    if followed[process]?.isEmpty == true { followed[process] = nil }
  }

  /// Code of a process has run, or is about to. `nil`: of whichever.
  mutating func codeRuns(in process: ProcessNumber?) {
    if let process { processes.insert(process) } else { isEverywhere = true }
    roundsLeft = Self.rounds
  }

  mutating func runBegins() {
    isExhausted = false
    roundsInARow = 0
    blocked.removeAll(keepingCapacity: true)
    codeRuns(in: nil)
  }

  mutating func jobsWereTaken() {
    jobsSeen = 0
    roundsInARow = 0
  }

  /// The next round; an empty one when everything has been passed.
  /// - Parameter jobs: how many jobs wait.
  mutating func nextRound(jobs: Int) -> Round {
    guard roundsLeft > 0 || jobs > jobsSeen, !isExhausted, isEverywhere || !processes.isEmpty else {
      finish()
      return Round()
    }
    if jobs > jobsSeen { roundsLeft = Self.rounds }
    jobsSeen = jobs
    roundsLeft -= 1
    collect()
    if waitedFor.count == 1 { roundsLeft = 0 }
    roundsInARow += 1
    if roundsInARow > Self.limit {
      isExhausted = true
      exhausted = Set(waitedFor.values.map(\.label)).sorted()
      waitedFor.removeAll(keepingCapacity: true)
    }
    if waitedFor.isEmpty {
      finish()
      return Round()
    }
    var round = Round(count: waitedFor.count)
    for (identity, queue) in waitedFor where underWay[identity] == nil {
      underWay[identity] = queue
      if round.first == nil { round.first = queue } else { round.others.append(queue) }
    }
    return round
  }

  private mutating func finish() {
    roundsLeft = 0
    isEverywhere = false
    processes.removeAll(keepingCapacity: true)
  }

  /// The queues of the next round. Nothing is waited for now.
  private mutating func collect() {
    if isEverywhere {
      for process in followed.keys { collect(of: process) }
    } else {
      for process in processes { collect(of: process) }
      collect(of: .common)
    }
  }

  private mutating func collect(of process: ProcessNumber) {
    guard let queues = followed[process] else { return }
    for (identity, entry) in queues where blocked.isEmpty || !blocked.contains(identity) {
      waitedFor[identity] = entry.queue
    }
  }

  /// The loop's block has come through a queue.
  /// - Returns: whether it was still waited for.
  mutating func arrived(_ queue: ObjectIdentifier) -> Bool {
    if !suspected.isEmpty { suspected.remove(queue) }
    underWay[queue] = nil
    return waitedFor.removeValue(forKey: queue) != nil
  }

  /// Waits no longer for the blocks that have not come through, nor for their queues in this run.
  mutating func abandon() -> [ProgramQueue] {
    for identity in waitedFor.keys {
      blocked.insert(identity)
      suspected.insert(identity)
    }
    defer { waitedFor.removeAll() }
    return Array(waitedFor.values)
  }

  /// What the queues are called on which programs have put blocks without end, once.
  mutating func takeExhaustion() -> [String] {
    defer { exhausted = [] }
    return exhausted
  }

  /// Whether all that is waited for are queues that were waited for in vain before.
  var isWaitingForSuspectedOnly: Bool { waitedFor.keys.allSatisfy(suspected.contains) }

  /// What those queues are called whose blocks have not come through.
  var labelsUnderWay: [String] { waitedFor.values.map(\.label).sorted() }

  /// What all queues are called, each once.
  var labels: [String] { Set(followed.values.flatMap { $0.values.map(\.queue.label) }).sorted() }
}
