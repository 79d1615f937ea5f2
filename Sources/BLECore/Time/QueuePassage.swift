/// The queues that a simulated loop has to pass through after a program's code has run, before the loop continues.
///
/// A program may have enqueued blocks on its queues, from its callbacks or from the test. The loop is not notified of them;
/// instead it enqueues a block of its own behind them. A block may have enqueued another one on the same queue, so the loop's
/// block passes through that queue several times; or on another queue, so there is a second round if there are several queues. If
/// a round submits jobs, all of it is repeated. Under the loop's lock.
struct QueuePassage {
  /// The number of queues to wait for, and those on which the loop's block has to be enqueued: a block that is still enqueued
  /// from an earlier run is awaited and not enqueued again.
  struct Round {
    var count = 0
    /// One queue without an array: most programs have one, and an array would be allocated after each callback.
    var first: ProgramQueue?
    var others: [ProgramQueue] = []
  }

  private struct Followed {
    let queue: ProgramQueue
    /// The number of managers that use it.
    var uses: Int
  }

  /// The number of passages through a queue: the length of a chain of blocks, each enqueued by the one before without submitting
  /// a job, that is waited for. All passages run on the queue's own thread, so that they cost little.
  static let turns = 3
  /// The number of rounds if there are several queues.
  private static let rounds = 2
  /// The number of rounds at one instant, without a job being run, after which the program is considered to do that without end.
  private static let limit = 10_000
  /// The number of jobs at one instant after which the same holds, where a queue is not waited for: no round counts its blocks.
  private static let jobLimit = 100_000

  private var followed: [ProcessNumber: [ObjectIdentifier: Followed]] = [:]
  /// Processes whose code has run since the last passage.
  private var processes: Set<ProcessNumber> = []
  private var isEverywhere = false
  private var roundsLeft = 0
  private var roundsInARow = 0
  private var jobsSeen = 0
  /// The number of jobs at this instant, while a queue is not waited for.
  private var jobsAtInstant = 0
  /// Queues that the loop's block has not passed yet, and that the run waits for.
  private var waitedFor: [ObjectIdentifier: ProgramQueue] = [:]
  /// All queues on which that block is enqueued, including abandoned ones.
  private var underWay: [ObjectIdentifier: ProgramQueue] = [:]
  /// Queues that are not waited for in this run: a block on them did not run.
  private var blocked: Set<ObjectIdentifier> = []
  /// Those, and the ones of earlier runs, until a block runs.
  private var suspected: Set<ObjectIdentifier> = []
  /// Whether a program has enqueued blocks without end; it is not waited for until the next run.
  private(set) var isExhausted = false
  /// The labels of the queues of such a program, until they are reported.
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

  /// Code of a process has run, or is about to. `nil`: of any process.
  mutating func codeRuns(in process: ProcessNumber?) {
    if let process { processes.insert(process) } else { isEverywhere = true }
    roundsLeft = Self.rounds
  }

  mutating func runBegins() {
    isExhausted = false
    roundsInARow = 0
    jobsAtInstant = 0
    blocked.removeAll(keepingCapacity: true)
    codeRuns(in: nil)
  }

  mutating func jobsWereTaken(_ count: Int) {
    jobsSeen = 0
    roundsInARow = 0
    guard !blocked.isEmpty, !isExhausted else { return }
    jobsAtInstant += count
    guard jobsAtInstant > Self.jobLimit else { return }
    isExhausted = true
    let queues = followed.values.flatMap { $0.filter { blocked.contains($0.key) }.values }
    exhausted = Set(queues.map(\.queue.label)).sorted()
  }

  mutating func clockMoved() {
    roundsInARow = 0
    jobsAtInstant = 0
  }

  /// Returns the next round; an empty one when all queues are passed.
  /// - Parameter jobs: the number of waiting jobs.
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

  /// Collects the queues of the next round. Nothing is awaited now.
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

  /// The loop's block has passed a queue.
  /// - Returns: whether it was still awaited.
  mutating func arrived(_ queue: ObjectIdentifier) -> Bool {
    if !suspected.isEmpty { suspected.remove(queue) }
    underWay[queue] = nil
    return waitedFor.removeValue(forKey: queue) != nil
  }

  /// Stops waiting for the blocks that have not run, and for their queues in this run.
  mutating func abandon() -> [ProgramQueue] {
    for identity in waitedFor.keys {
      blocked.insert(identity)
      suspected.insert(identity)
    }
    defer { waitedFor.removeAll() }
    return Array(waitedFor.values)
  }

  /// The labels of the queues on which programs have enqueued blocks without end, returned once.
  mutating func takeExhaustion() -> [String] {
    defer { exhausted = [] }
    return exhausted
  }

  /// Whether all awaited queues were waited for in vain before.
  var isWaitingForSuspectedOnly: Bool { waitedFor.keys.allSatisfy(suspected.contains) }

  /// Whether blocks on queues have not run.
  var isWaiting: Bool { !waitedFor.isEmpty }

  /// The labels of all queues, without duplicates.
  var labels: [String] { Set(followed.values.flatMap { $0.values.map(\.queue.label) }).sorted() }
}
