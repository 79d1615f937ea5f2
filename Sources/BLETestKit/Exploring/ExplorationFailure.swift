import Testing

/// A world of an exploration in which the test fails, with as few events as possible.
public struct ExplorationFailure: Error, Codable, Sendable, CustomStringConvertible {
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
  /// The path of the same as a page for a browser, with the calls and callbacks of the programs; `nil` if it could not be written.
  public let pagePath: String?
  /// The number of worlds that were tried until it was found; 0 for `replay`.
  public let worlds: Int
  /// Whether a second run of the same world failed in the same way. If not, the program asks for random numbers or the time
  /// itself, or works on queues that the world does not follow.
  public let isReproducible: Bool
  /// The events and the links on a scale of time, as lines of text; empty where the time of the failure is not known, as after a trap.
  public let timeline: String
  private let test: String

  /// Where the worlds ran, and why not in processes of their own.
  let isolationRemark: String?

  /// The end of one world.
  init(
    _ report: WorldReport, _ order: WorldOrder, forTest test: String, worlds: Int = 0, isReproducible: Bool = true,
    isolationRemark: String? = nil, at location: SourceLocation
  ) {
    seed = order.seed
    events = order.events
    self.worlds = worlds
    self.isReproducible = isReproducible
    self.isolationRemark = isolationRemark
    reason = report.failure?.words ?? "it does not fail"
    sourceLocation = report.failure?.location ?? location
    capturePath = report.capturePath
    pagePath = report.capturePath.flatMap(WorldCapture.page(beside:))
    timeline = report.time > .zero ? FailureTimeline(order.events, report.links, end: report.time).text : ""
    self.test = test
  }

  /// The result of an exploration, made as small as possible.
  /// - Parameters:
  ///   - limits: those of the worlds that are tried on the way.
  ///   - attempts: the maximum number of such worlds.
  init(
    _ found: RunningExploration.Found, _ exploration: Exploration, limits: WorldOrder.Limits, attempts: Int,
    by runner: any WorldRunner, at location: SourceLocation
  ) async {
    let mark = found.failure.mark
    func order(_ events: [WorldEvent]) -> WorldOrder { WorldOrder(seed: found.seed, events: events, limits: limits) }
    var shrinking = EventShrinking(found.events, limit: attempts) { events in
      await runner.run(order(events)).failure?.mark == mark
    }
    let first = await runner.run(order(found.events))
    let isReproducible = first.failure?.mark == mark
    if isReproducible { await shrinking.run() }
    let test = Test.current?.name ?? "explored()"
    var last = order(shrinking.events)
    last.capture = WorldOrder.Capture(folder: WorldCapture.folder, test: test)
    var report = await runner.run(last)
    // What was found is reported, also if it does not happen again.
    if report.failure == nil || !isReproducible { report.failure = found.failure }
    self.init(
      report, last, forTest: test, worlds: exploration.worlds, isReproducible: isReproducible,
      isolationRemark: exploration.isolationRemark, at: location)
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
    if !timeline.isEmpty { text += timeline + "\n" }
    if !isReproducible {
      text += """
        It did not fail in this way when it was run again: the program asks for the time or for random numbers itself, or works on \
        a queue that the world does not follow.

        """
    }
    if let isolationRemark {
      text += "The worlds ran in the process of the test: \(isolationRemark).\n"
    }
    text += "To run it alone, with the same body:\n\(replayTest)"
    if let capturePath { text += "\nIts traffic is in \(capturePath)." }
    if let pagePath { text += "\nIt can be looked at in \(pagePath)." }
    return text
  }
}
