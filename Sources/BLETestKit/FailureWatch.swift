import Synchronization
import Testing

/// Knows which worlds belong to which test, so that a test's failure can make them keep their captures.
enum FailureWatch {
  private struct WeakWorld: Sendable {
    weak let world: World?
  }

  private static let worlds = Mutex<[String: [WeakWorld]]>([:])

  static func enter(_ world: World) {
    guard let test = Test.current.map({ "\($0.id)" }) else { return }
    let entry = WeakWorld(world: world)
    worlds.withLock { worlds in
      worlds[test, default: []].removeAll { $0.world == nil }
      worlds[test, default: []].append(entry)
    }
  }

  /// The current test has failed.
  static func currentTestFailed() {
    guard let test = Test.current.map({ "\($0.id)" }) else { return }
    for entry in worlds.withLock({ $0[test] ?? [] }) { entry.world?.keepCapture(for: Test.current?.name ?? test) }
  }
}

extension Trait where Self == IssueHandlingTrait {
  /// A test or suite whose worlds print their seed and leave a capture when it fails.
  public static var keepsCapture: Self {
    .compactMapIssues { issue in
      FailureWatch.currentTestFailed()
      return issue
    }
  }
}

/// Runs `body` in a world of its own. Where it throws, the world prints its seed and leaves a capture: for tests without
/// swift-testing.
public func withWorld<Result>(
  seed: UInt64? = nil, _ name: String = #function, _ body: (World) async throws -> Result
) async throws -> Result {
  let world = World(seed: seed)
  do {
    return try await body(world)
  } catch {
    world.keepCapture(for: name)
    throw error
  }
}
