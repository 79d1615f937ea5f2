import BLECore
import Glibc
import Synchronization
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
  /// A world fails if the body throws, if it records an issue (`#expect`, `#require`), if a condition of `always` or `eventually` is
  /// broken, or if it does not end within the limits of the budget. Issues of the body are not reported one by one. Those that are
  /// recorded outside of its tasks, as in a callback on a queue, belong to no world: state such a condition with `always`.
  ///
  /// Before the first seed the body runs in a world in which nothing happens. The seeds are 0, 1, 2 and so on; of failures in
  /// worlds that run at the same time, the one with the lowest seed counts. So the result is the same on each machine, for programs
  /// whose runs are. `BLE_SEED` in the environment makes this one seed the only one.
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
    let only = environment("BLE_SEED").flatMap { UInt64($0) }
    let exploration = RunningExploration(seeds: only.map { $0...$0 } ?? 0...UInt64(max(1, count) - 1), budget, body)
    try await exploration.run()
    guard let found = exploration.found else { return exploration.report }
    try Task.checkCancellation()
    throw await ExplorationFailure(found, exploration, at: sourceLocation, body)
  }

  /// Runs the body of a test in the world of a seed, with these events, as `explore` did.
  /// - Throws: `ExplorationFailure` if the world fails. The events are not made fewer.
  public static func replay(
    seed: UInt64, events: [WorldEvent], within budget: ExplorationBudget = ExplorationBudget(),
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws {
    let result = await WorldTrial.run(seed: seed, events: events, budget: budget, body)
    try Task.checkCancellation()
    if let failure = result.failure {
      throw ExplorationFailure(failure, seed: seed, events: events, recording: result.recording, at: sourceLocation)
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

/// An exploration under way.
final class RunningExploration: Sendable {
  struct Found: Sendable {
    let seed: UInt64
    let events: [WorldEvent]
    let failure: TrialFailure
  }

  let seeds: ClosedRange<UInt64>
  let budget: ExplorationBudget
  private let body: WorldTrial.Body
  private let state: Mutex<State>

  private struct State {
    var next: UInt64?
    var devices: [String] = []
    var found: Found?
    var report = Exploration()
  }

  init(seeds: ClosedRange<UInt64>, _ budget: ExplorationBudget, _ body: @escaping WorldTrial.Body) {
    self.seeds = seeds
    self.budget = budget
    self.body = body
    state = Mutex(State(next: seeds.lowerBound))
  }

  /// The failure with the lowest seed.
  var found: Found? { state.withLock { $0.found } }
  var report: Exploration { state.withLock { $0.report } }

  func run() async throws {
    // In this world nothing happens: a failure that comes without events needs none, and the names of the devices are found.
    let calm = await WorldTrial.run(seed: seeds.lowerBound, events: [], budget: budget, body)
    if let failure = calm.failure {
      return state.withLock { $0.found = Found(seed: seeds.lowerBound, events: [], failure: failure) }
    }
    let drawing = EventDrawing(budget: budget, devices: calm.devices)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
        group.addTask {
          while !Task.isCancelled, let seed = self.nextSeed() { await self.tryWorld(seed, drawing.events(seed: seed)) }
        }
      }
    }
    try Task.checkCancellation()
  }

  private func nextSeed() -> UInt64? {
    state.withLock { state in
      guard state.found == nil, let seed = state.next else { return nil }
      state.next = seed < seeds.upperBound ? seed + 1 : nil
      return seed
    }
  }

  private func tryWorld(_ seed: UInt64, _ events: [WorldEvent]) async {
    let result = await WorldTrial.run(seed: seed, events: events, budget: budget, body)
    state.withLock { state in
      state.report.add(result)
      // Worlds with lower seeds that run at this time are waited for.
      guard let failure = result.failure, seed <= state.found?.seed ?? .max else { return }
      state.found = Found(seed: seed, events: events, failure: failure)
    }
  }
}
