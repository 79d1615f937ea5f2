import BLECore
import Testing

/// Checks a world at intervals of real time, and reports why a test hangs that would otherwise hang silently.
///
/// Checks are counted, not time: each waits for its turn among the threads that also run the test. While the machine is busy with
/// other work, there are none.
struct WorldWatch {
  /// The number of checks in a row without progress before that is reported.
  private static let patience = 5
  /// The same where no call of a program waits: more likely the test is busy with other work.
  private static let patienceWithoutCalls = 20
  /// The number of checks before a queue is considered blocked.
  private static let patienceWithQueues = 10

  private let log: WorldLog
  private let interval: Duration
  private let foundStuck: @Sendable (StackInstant) -> Void
  private let test = Test.current.map { " of the test '\($0.displayName ?? $0.name)'" } ?? ""
  private var steps: UInt64 = 0
  private var looks = 0

  /// - Parameters:
  ///   - interval: the real time between two checks.
  ///   - foundStuck: called with the world's time when callbacks have not returned that long, before the log says so.
  /// - Returns: the task, which keeps the loop until it is cancelled: that ends the checks.
  static func start(
    on loop: VirtualLoop, _ log: WorldLog, every interval: Duration,
    foundStuck: @escaping @Sendable (StackInstant) -> Void
  ) -> Task<Void, Never> {
    // With the priority of the test: its steps and the checks wait in the same line.
    Task.detached(priority: Task.currentPriority) {
      [watch = WorldWatch(log: log, interval: interval, foundStuck: foundStuck)] in
      var watch = watch
      while (try? await Task.sleep(for: interval)) != nil { watch.look(at: loop) }
    }
  }

  private init(log: WorldLog, interval: Duration, foundStuck: @escaping @Sendable (StackInstant) -> Void) {
    self.foundStuck = foundStuck
    self.log = log
    self.interval = interval
  }

  private var time: String { "\(interval * looks) of real time" }

  private mutating func look(at loop: VirtualLoop) {
    let standing = loop.standing
    guard standing.steps == steps, !standing.isResting else {
      steps = standing.steps
      looks = 0
      return
    }
    looks += 1
    if !standing.isRunning {
      if looks == (standing.jobs > 0 ? Self.patience : Self.patienceWithoutCalls) { reportStoppedClock(standing) }
    } else if standing.isWaitingForQueues {
      if standing.queuesAreSuspected {
        _ = loop.abandonBlockedQueues()
      } else if looks >= Self.patienceWithQueues {
        continueWithoutQueues(loop)
      }
    } else if looks == Self.patience, standing.outstanding > 0 {
      foundStuck(loop.now)
      reportPendingCallbacks(standing, loop.queueLabels)
    }
  }

  private func reportStoppedClock(_ standing: VirtualLoop.Standing) {
    log.say(
      """
      The clock of the world\(test) has stood still for \(time), with \(standing.jobs) calls of programs waiting for it: it moves \
      during settle, advance, wait and perform only. A test that awaits something here that takes the world's time never ends; \
      `try await world.perform { ... }` around it lets the time pass.
      """)
  }

  private func continueWithoutQueues(_ loop: VirtualLoop) {
    let labels = loop.abandonBlockedQueues()
    guard !labels.isEmpty else { return }
    log.say(
      """
      The world\(test) has waited \(time) for the blocks that are on \(Self.list(labels)), and continues without them: the queue is \
      blocked. Nothing on a manager's queue may wait for what takes the world's time. This is reported once.
      """)
  }

  private func reportPendingCallbacks(_ standing: VirtualLoop.Standing, _ queues: [String]) {
    log.say(
      """
      The world\(test) has waited \(time) for \(standing.outstanding) callbacks or steps of tasks that have not returned. Its \
      managers' queues are \(Self.list(queues)): one of them is blocked, or is the main queue and the test blocks it.
      """)
  }

  /// Reports queues onto which programs have put blocks without end.
  static func say(exhausted labels: [String], _ log: WorldLog) {
    log.say(
      """
      A block on one of the queues \(list(labels)) puts the next one there, and asks something of Core Bluetooth, again and again at \
      one instant of the world. The clock does not wait for it until the current settle, advance or wait has ended.
      """)
  }

  private static func list(_ labels: [String]) -> String {
    let shown = labels.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
    return labels.count > 5 ? "\(shown) and \(labels.count - 5) more" : shown
  }
}
