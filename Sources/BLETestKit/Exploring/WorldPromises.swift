import BLECore
import Synchronization
import Testing

/// What a test says about all moments of a world. It is looked at while the clock stands still.
///
/// `@unchecked Sendable`: the promises themselves are used on the world's loop, everything else is behind a lock.
final class WorldPromises: @unchecked Sendable {
  private let list = Mutex<[LoopBound<Promise>]>([])
  private let broken = Mutex<[TrialFailure]>([])
  /// What Apple's systems would say.
  let rules = WorldRules()

  func add(_ promise: Promise) {
    let promise = LoopBound(promise)
    list.withLock { $0.append(promise) }
  }

  /// Conditions may refer to the world that has them.
  func removeAll() { list.withLock { $0 = [] } }

  private var all: [Promise] { list.withLock { $0 }.map(\.value) }

  /// The longest time that a promise allows; `nil` if none does.
  var longestLimit: Duration? { all.compactMap(\.limit).max() }

  /// Whether a condition with a time limit did not hold when it was last looked at.
  var isWaiting: Bool { all.contains { $0.isWaiting } }

  /// - Returns: whether all are kept.
  func look(at now: StackInstant, _ stage: EventStage?) -> Bool {
    var isKept = true
    for bound in list.withLock({ $0 }) {
      let promise = bound.value
      if promise.isBroken { continue }
      guard let words = promise.look(at: now, stage) else { continue }
      isKept = false
      promise.isBroken = true
      let failure = TrialFailure(promise: promise.name, words: words, location: promise.location)
      broken.withLock { $0.append(failure) }
    }
    return isKept
  }

  /// The promises that were broken since the last call.
  func takeBroken() -> [TrialFailure] {
    broken.withLock { broken in
      defer { broken = [] }
      return broken
    }
  }
}

/// One condition of a test.
final class Promise {
  let name: String
  /// `nil`: the condition has to hold at each moment.
  let limit: Duration?
  let location: SourceLocation
  private let holds: () -> Bool
  private let madeAt: StackInstant
  /// Since when the condition does not hold and no event explains it.
  private var wrongSince: StackInstant?
  fileprivate var isBroken = false

  init(
    _ name: String, limit: Duration?, at location: SourceLocation, madeAt: StackInstant, _ holds: @escaping () -> Bool
  ) {
    self.name = name
    self.limit = limit
    self.location = location
    self.madeAt = madeAt
    self.holds = holds
  }

  fileprivate var isWaiting: Bool { wrongSince != nil && limit != nil && !isBroken }

  /// - Returns: how it is broken; `nil` if it is not.
  fileprivate func look(at now: StackInstant, _ stage: EventStage?) -> String? {
    guard let limit else {
      return holds() ? nil : "'\(name)' is wrong at \(WorldEvent.words(.nanoseconds(now.nanoseconds)))"
    }
    if let stage, stage.isUnderWay {
      wrongSince = nil
      return nil
    }
    let isRight = holds()
    if isRight, wrongSince == nil { return nil }
    // Between two looks nothing changes: what was wrong at the first was wrong until the second.
    let since = max(wrongSince ?? now, madeAt, stage?.lastChange ?? .zero)
    wrongSince = isRight ? nil : since
    let waited = now - since
    guard isRight ? waited > StackDuration(limit) : waited >= StackDuration(limit) else { return nil }
    return """
      '\(name)' is wrong from \(WorldEvent.words(.nanoseconds(since.nanoseconds))) on, for longer than \(WorldEvent.words(limit)) \
      without an event
      """
  }
}

extension World {
  /// States what has to hold at each moment of this world from now on. The condition is evaluated whenever the clock stands still,
  /// after each instant at which anything happened.
  ///
  /// In a world of `explore` or `replay` a broken condition ends the world, which fails; in another, an issue is recorded as soon
  /// as the current `settle`, `advance` or `wait` has returned.
  /// - Parameters:
  ///   - name: the condition in words: "no value comes twice".
  ///   - sourceLocation: the statement's place in the test, which a failure names.
  ///   - condition: reads the state of the programs; it does not change it.
  public func always(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @escaping () -> Bool
  ) {
    promise(Promise(name, limit: nil, at: sourceLocation, madeAt: loop.now, condition))
  }

  /// States what may be wrong for a while only, from now on: `condition` holds again after at most `limit` of the world's time. Time
  /// in which an event of an exploration lasts does not count, and the limit begins again when one strikes.
  ///
  /// It is evaluated as the condition of `always` is, and reported in the same way.
  /// - Parameters:
  ///   - name: the condition in words: "the app is connected".
  ///   - limit: how long it may be wrong.
  ///   - sourceLocation: the statement's place in the test, which a failure names.
  ///   - condition: reads the state of the programs; it does not change it.
  public func eventually(
    _ name: String, within limit: Duration, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: @escaping () -> Bool
  ) {
    promise(Promise(name, limit: limit, at: sourceLocation, madeAt: loop.now, condition))
  }

  private func promise(_ promise: Promise) {
    promises.add(promise)
    // An explored world looks anyway.
    guard trial == nil else { return }
    let promises = promises
    loop.submit(from: .common) { [loop] in
      loop.setWatch { now in
        _ = promises.look(at: now, nil)
        return true
      }
    }
  }
}

extension World {
  /// On the loop, while the clock stands still.
  func lookAtPromises() {
    promises.rules.look(at: loop.now)
    if let trial { _ = trial.look(at: loop.now, promises) } else { _ = promises.look(at: loop.now, nil) }
  }

  /// After a run, in the task of the test.
  func reportPromises() async {
    if let trial { return await trial.runEnded() }
    reportBrokenRules()
    for broken in promises.takeBroken() {
      Issue.record("\(broken.words)", sourceLocation: broken.location ?? #_sourceLocation)
    }
  }
}
