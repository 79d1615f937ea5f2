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

  /// Writes the captures at the first failure, in case the test does not end.
  func testFailed() {
    let isFirst = failures.withLock { failures in
      failures += 1
      return failures == 1
    }
    if isFirst { keepCaptures() }
  }

  /// Writes the captures again, with the traffic after the first failure, if there were more failures.
  func testEnded() {
    if failures.withLock({ $0 }) > 1 { keepCaptures() }
  }

  private func keepCaptures() {
    for entry in worlds.withLock({ $0 }) { entry.recording.keep(for: name) }
  }
}

/// Makes the worlds of a failing test print their seed and write a capture; see `Trait.keepsCapture`.
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
      if issue.severity >= .error { watch.testFailed() }
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
          watch.testFailed()
          throw error
        }
      }
    }
  }
}

extension Trait where Self == CaptureKeepingTrait {
  /// When a test fails, by an expectation or a thrown error, its worlds print their seed and write a capture.
  public static var keepsCapture: Self { CaptureKeepingTrait() }
}

/// Runs `body` in a new world. If it throws, the world prints its seed and writes a capture. For tests without swift-testing.
public func withWorld<Result>(
  seed: UInt64? = nil, _ name: String = #function, _ body: (World) async throws -> Result
) async throws -> Result {
  let world = World(seed: seed)
  do {
    return try await body(world)
  } catch {
    world.recording.keep(for: name)
    throw error
  }
}
