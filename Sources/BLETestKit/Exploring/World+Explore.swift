import BLECore
import Testing

extension World {
  /// Runs the body of a test in many worlds, each with a seed and events of its own, on all cores. The first failure ends the
  /// exploration: it is made as small as possible, and thrown.
  ///
  /// ```swift
  /// try await World.explore(seeds: 10_000) { world in
  ///   let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
  ///   let peripheral = LampPeripheral(options: lamp.options)
  ///   let app = App(options: phone.options)
  ///   world.eventually("the app is connected", within: .seconds(60)) { app.isConnected }
  ///   await world.advancePastEvents()
  ///   withExtendedLifetime(peripheral) {}
  /// }
  /// ```
  ///
  /// The worlds run in processes of their own, as many as there are processors (`ExplorationIsolation.processes`): what a body
  /// changes outside of its world is not seen by the test.
  ///
  /// A world fails if the body throws, if it records an issue (`#expect`, `#require`), if a condition of `always` or `eventually` is
  /// broken, or if it does not end within the limits of the budget; in a process of its own also if that traps. Issues of the body are not reported one by one. Those that are
  /// recorded outside of its tasks, as in a callback on a queue, belong to no world: state such a condition with `always`.
  ///
  /// Before the first seed the body runs in a world in which nothing happens. The seeds are 0, 1, 2 and so on; of failures in
  /// worlds that run at the same time, the one with the lowest seed counts. So the result is the same on each machine, for programs
  /// whose runs are. `BLE_SEED` in the environment makes this one seed the only one, in the test's own process, where a debugger sees it.
  /// - Parameters:
  ///   - count: the number of worlds.
  ///   - budget: what happens in them, and how far they go.
  ///   - sourceLocation: the call's place in the test, which a failure names.
  ///   - body: the test. It runs at the same time in several worlds.
  /// - Returns: what was tried.
  /// - Throws: `ExplorationFailure`, or `CancellationError`.
  @discardableResult
  public static func explore(
    seeds count: Int, within budget: ExplorationBudget = ExplorationBudget(),
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws -> Exploration {
    guard !WorldTrial.isUnderWay else {
      return try await RunningExploration(
        count, budget, .local("it is called in a world of another exploration"), body
      ).result(at: sourceLocation)
    }
    guard let unnumbered = ExploreCall(at: sourceLocation) else {
      return try await RunningExploration(count, budget, .local("no test of swift-testing calls it"), body)
        .result(at: sourceLocation)
    }
    let (call, isAlone) = ExploreCalls.begin(unnumbered)
    if let worker = ExplorationWorker.current { return try await worker.take(call, body) }
    let place: RunningExploration.Place =
      isAlone ? .workers(call) : .local("another call of explore of the same test is under way")
    do {
      let exploration = try await RunningExploration(count, budget, place, body).result(at: sourceLocation)
      ExploreCalls.end(call, .exploration(exploration))
      return exploration
    } catch {
      ExploreCalls.end(call, (error as? ExplorationFailure).map { .failure($0) } ?? .cancellation)
      throw error
    }
  }

  /// Runs the body of a test in the world of a seed, with these events, as `explore` did.
  /// - Throws: `ExplorationFailure` if the world fails. The events are not made fewer.
  public static func replay(
    seed: UInt64, events: [WorldEvent], within budget: ExplorationBudget = ExplorationBudget(),
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws {
    let test = Test.current?.name ?? "explored()"
    let order = WorldOrder(seed: seed, events: events, limits: WorldOrder.Limits(budget))
    let result = await WorldTrial.run(order, body)
    try Task.checkCancellation()
    if result.report.failure != nil {
      var report = result.report
      report.capturePath = try? result.recording.write(forTest: test)
      throw ExplorationFailure(report, order, forTest: test, at: sourceLocation)
    }
  }

  /// In a world of `explore` or `replay`: advances the clock until all events are over, and what `eventually` states was decided
  /// after them. In another world: until the latter.
  public func advancePastEvents() async {
    let end = StackDuration(max(trial?.stage.end ?? .zero, now) - now)
    let limit = promises.longestLimit ?? .zero
    await advance(by: .nanoseconds(end.nanoseconds) + limit)
    // A link that was lost by an event may be noticed later than the event ended. A condition that changes all the time is not
    // waited for without end.
    for _ in 0..<10 where promises.isWaiting { await advance(by: limit) }
  }
}
