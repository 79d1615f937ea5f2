import BLECore
import Synchronization
import Testing

/// One world of an exploration: its events, its conditions, its limits, and how it ended.
///
final class WorldTrial: Sendable {
  let stage: EventStage
  /// The capture that is written while the world runs.
  let capture: WorldOrder.Capture?
  /// Whether the process looks after worlds that do not end.
  let isWatched: Bool
  private let timeLimit: StackInstant
  private let stepLimit: Int
  private let stepsDone = Atomic(0)
  private let state = Mutex(State())

  private struct State {
    var failure: TrialFailure?
    var hasEnded = false
    /// How often the body has asked for time since the world has failed.
    var asked = 0
    var waiting: CheckedContinuation<Void, Never>?
  }

  /// How often a body may ask for time in a world that has failed, before it is left behind.
  private static let patience = 1_000

  init(_ order: WorldOrder, isWatched: Bool) {
    stage = EventStage(events: order.events, seed: order.seed)
    capture = order.capture
    self.isWatched = isWatched
    timeLimit = .zero + StackDuration(order.limits.time)
    stepLimit = order.limits.steps
  }

  /// How often the clock has stood still.
  var steps: Int { stepsDone.load(ordering: .relaxed) }

  var failure: TrialFailure? { state.withLock { $0.failure } }

  /// The first failure counts.
  func fail(_ failure: TrialFailure) {
    state.withLock { if $0.failure == nil { $0.failure = failure } }
  }

  /// On the loop, while the clock stands still.
  /// - Returns: whether the world continues.
  func look(at now: StackInstant, _ promises: WorldPromises) -> Bool {
    if failure != nil { return false }
    if !promises.look(at: now, stage), let first = promises.takeBroken().first { fail(first) }
    promises.rules.look(at: now)
    if let broken = promises.rules.takeBroken().first(where: { $0.rule.severity == .error }) {
      fail(TrialFailure(broken, at: promises.rules.set?.place))
    }
    let steps = stepsDone.add(1, ordering: .relaxed).newValue
    if now > timeLimit {
      fail(.limit("time", "the body has not ended by \(WorldEvent.words(.nanoseconds(timeLimit.nanoseconds)))"))
    } else if steps > stepLimit {
      fail(
        .limit(
          "steps",
          """
          the body has not ended after \(WorldEvent.grouped(stepLimit)) steps, at \
          \(WorldEvent.words(.nanoseconds(now.nanoseconds)))
          """))
    }
    return failure == nil
  }

  /// After each run of the world's loop. In a world that has failed, no time passes any more: a body that asks for it again and
  /// again does not end, and waits here forever.
  func runEnded() async {
    let isLeftBehind = state.withLock { state in
      guard state.failure != nil else { return false }
      state.asked += 1
      return state.asked > Self.patience
    }
    guard isLeftBehind else { return }
    bodyEnded()
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  func bodyEnded() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Returns when the body has ended or was left behind.
  func end() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting = continuation }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}

/// How a world failed.
struct TrialFailure: Codable, Sendable {
  /// Equal for failures of the same kind at the same place: what a smaller list of events has to cause as well.
  let mark: String
  /// What is wrong, as a sentence without its full stop.
  let words: String
  let location: SourceLocation?

  init(promise name: String, words: String, location: SourceLocation) {
    mark = "promise \(name) \(location.fileID):\(location.line)"
    self.words = words
    self.location = location
  }

  init(_ issue: Issue) {
    location = issue.sourceLocation
    mark = "issue \(location.map { "\($0.fileID):\($0.line)" } ?? "")"
    words = "\(issue)"
  }

  init(_ error: any Error) {
    location = (error as? WaitError)?.sourceLocation
    // Without numbers: times and values differ from run to run of one failure.
    let plain = location == nil ? "\(error)".filter { !$0.isNumber } : ""
    mark = "error \(String(reflecting: type(of: error))) \(location.map { "\($0.fileID):\($0.line)" } ?? plain)"
    words = "\(error)"
  }

  init(rule number: Int, words: String, location: SourceLocation?) {
    mark = "rule \(number)"
    self.words = words
    self.location = location
  }

  init(mark: String, words: String) {
    self.mark = mark
    self.words = words
    location = nil
  }

  static func limit(_ name: String, _ words: String) -> TrialFailure {
    TrialFailure(mark: "limit \(name)", words: words)
  }
}
