import Synchronization
import Testing

/// The worlds of one test; their captures are kept when the test fails.
final class FailureWatch: Sendable {
  /// That of the running test, if it has `.keepsCapture`.
  @TaskLocal static var current: FailureWatch?

  private struct Watched: Sendable {
    weak let world: World?
    let recording: WorldCapture
  }

  /// The number of released worlds that are remembered: an error that a test throws is reported after its world was released.
  private static let limitOfGone = 4

  private let name: String
  private let worlds = Mutex<[Watched]>([])
  private let failures = Mutex(0)

  init(name: String) { self.name = name }

  func enter(_ world: World) {
    worlds.withLock { worlds in
      let gone = worlds.count { $0.world == nil }
      if gone > Self.limitOfGone, let oldest = worlds.firstIndex(where: { $0.world == nil }) {
        worlds.remove(at: oldest)
      }
      worlds.append(Watched(world: world, recording: world.recording))
    }
  }

  /// Marks the failure on the pages of the worlds, and writes captures and pages at the first one, in case the test does not end.
  /// - Parameter words: what failed.
  func testFailed(_ words: String) {
    for entry in worlds.withLock({ $0 }) { entry.recording.markFailure(words, at: entry.world?.loop.now) }
    let isFirst = failures.withLock { failures in
      failures += 1
      return failures == 1
    }
    if isFirst { keepCaptures() }
  }

  /// Writes captures and pages again, with the traffic after the first failure, if there were more failures, and attaches them to the
  /// test, for a run that keeps attachments (`swift test --attachments-path`).
  func testEnded() {
    let failures = failures.withLock { $0 }
    if failures > 1 { keepCaptures() }
    if failures > 0 { for entry in worlds.withLock({ $0 }) { entry.recording.attach() } }
  }

  private func keepCaptures() {
    for entry in worlds.withLock({ $0 }) { entry.recording.keep(for: name) }
  }
}

/// Makes the worlds of a failing test print their seed and write a capture and a page; see `Trait.keepsCapture`.
public struct CaptureKeepingTrait: TestTrait, SuiteTrait, TestScoping {
  package init() {}

  /// On a suite it holds for each of its tests.
  public var isRecursive: Bool { true }

  /// For each case of a test; once, where a test and its suite have the trait.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> CaptureKeepingTrait? {
    testCase == nil ? nil : self
  }

  /// Runs one case of a test and observes whether it fails.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if FailureWatch.current != nil { return try await function() }
    let watch = FailureWatch(name: test.name)
    let expectations = IssueHandlingTrait.compactMapIssues { issue in
      if issue.severity >= .error { watch.testFailed("\(issue)") }
      return issue
    }
    defer { watch.testEnded() }
    try await FailureWatch.$current.withValue(watch) {
      try await expectations.provideScope(for: test, testCase: testCase) {
        do {
          try await function()
        } catch let error as WaitError {
          // Recorded here, the issue points at the line that waited instead of at the test.
          Issue.record(error, sourceLocation: error.sourceLocation)
        } catch {
          // swift-testing records this issue outside of this scope.
          watch.testFailed("the test threw \(error)")
          throw error
        }
      }
    }
  }
}

extension Trait where Self == CaptureKeepingTrait {
  /// When a test fails, by an expectation or a thrown error, its worlds print their seed, and write a capture and a page to look at, which
  /// are attached to the test.
  public static var keepsCapture: Self { CaptureKeepingTrait() }
}

/// Runs `body` in a new world. If it throws, the world prints its seed, and writes a capture and a page. For tests without swift-testing.
public func withWorld<Result>(
  seed: UInt64? = nil, _ name: String = #function, _ body: (World) async throws -> Result
) async throws -> Result {
  let world = World(seed: seed)
  do {
    return try await body(world)
  } catch {
    world.recording.markFailure("the test threw \(error)", at: world.loop.now)
    world.recording.keep(for: name)
    throw error
  }
}
