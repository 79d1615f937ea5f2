import BLECore
import Testing

/// A world of an exploration in which the test fails, with as few events as possible.
public struct ExplorationFailure: Error, Sendable, CustomStringConvertible {
  /// The world's seed.
  public let seed: UInt64
  /// What has to happen for the failure: without any one of these events the world does not fail in this way, unless the budget for
  /// attempts was too small to find that out.
  public let events: [WorldEvent]
  /// What is wrong, in words.
  public let reason: String
  /// The expectation, the condition or the `wait` that failed; the call of `explore`, where the failure has no line of its own.
  public let sourceLocation: SourceLocation
  /// The path of the world's capture; `nil` if it could not be written.
  public let capturePath: String?
  /// The number of worlds that were tried until it was found; 0 for `replay`.
  public let worlds: Int
  /// Whether a second run of the same world failed in the same way. If not, the program asks for random numbers or the time
  /// itself, or works on queues that the world does not follow.
  public let isReproducible: Bool
  private let test: String

  /// The result of a replay.
  init(
    _ failure: TrialFailure, seed: UInt64, events: [WorldEvent], recording: WorldCapture, worlds: Int = 0,
    isReproducible: Bool = true, at location: SourceLocation
  ) {
    self.seed = seed
    self.events = events
    self.worlds = worlds
    self.isReproducible = isReproducible
    reason = failure.words
    sourceLocation = failure.location ?? location
    test = Test.current?.name ?? "explored()"
    capturePath = try? recording.write(forTest: test)
  }

  /// The result of an exploration, made as small as possible.
  init(
    _ found: RunningExploration.Found, _ exploration: RunningExploration, at location: SourceLocation,
    _ body: @escaping WorldTrial.Body
  ) async {
    let budget = exploration.budget
    func run(_ events: [WorldEvent]) async -> TrialResult {
      await WorldTrial.run(seed: found.seed, events: events, budget: budget, body)
    }
    var shrinking = EventShrinking(found.events, limit: budget.shrinkLimit) { events in
      await run(events).failure?.mark == found.failure.mark
    }
    let first = await run(found.events)
    let isReproducible = first.failure?.mark == found.failure.mark
    if isReproducible { await shrinking.run() }
    let last = isReproducible ? await run(shrinking.events) : first
    self.init(
      last.failure ?? found.failure, seed: found.seed, events: shrinking.events, recording: last.recording,
      worlds: exploration.report.worlds, isReproducible: isReproducible, at: location)
  }

  /// A test that runs this world alone, in Swift. Its closure has to be given the body of the exploration.
  public var replayTest: String {
    let name = String(test.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    var lines = ["@Test func \(name)WithSeed\(seed)() async throws {"]
    lines += ["  try await World.replay(", "    seed: \(WorldEvent.grouped(seed)),"]
    lines += events.isEmpty ? ["    events: []"] : ["    events: ["] + events.map { "      \($0.source)," } + ["    ]"]
    lines += ["  ) { world in", "    // The body of the exploration.", "  }", "}"]
    return lines.joined(separator: "\n")
  }

  public var description: String {
    var text = "The world of seed \(seed) fails: \(reason).\n"
    if events.isEmpty {
      text += "No event is needed for it.\n"
    } else {
      text += "What has to happen for it:\n" + events.map { "- \($0).\n" }.joined()
    }
    if !isReproducible {
      text += """
        It did not fail in this way when it was run again: the program asks for the time or for random numbers itself, or works on \
        a queue that the world does not follow.

        """
    }
    text += "To run it alone, with the same body:\n\(replayTest)"
    if let capturePath { text += "\nIts traffic is in \(capturePath)." }
    return text
  }
}
