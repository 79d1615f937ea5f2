import Glibc
import Synchronization
import Testing

/// An exploration under way.
final class RunningExploration: Sendable {
  struct Found: Sendable {
    let seed: UInt64
    let events: [WorldEvent]
    let failure: TrialFailure
  }

  /// Where worlds can run.
  enum Place: Sendable {
    /// In workers, which repeat the test up to this call.
    case workers(ExploreCall)
    /// In this process only, for a reason.
    case local(String)
  }

  let seeds: ClosedRange<UInt64>
  let budget: ExplorationBudget
  private let place: Place
  private let body: WorldTrial.Body
  private let state: Mutex<State>

  private struct State {
    var next: UInt64?
    var found: Found?
    var report = Exploration()
    /// The most processor time that a world has used.
    var longest = Duration.zero
  }

  init(_ count: Int, _ budget: ExplorationBudget, _ place: Place, _ body: @escaping WorldTrial.Body) {
    let only = environment("BLE_SEED").flatMap { UInt64($0) }
    seeds = only.map { $0...$0 } ?? 0...UInt64(max(1, count) - 1)
    self.budget = budget
    self.place = only == nil ? place : .local("BLE_SEED names one seed")
    self.body = body
    state = Mutex(State(next: seeds.lowerBound))
  }

  /// Explores, and makes the first failure small.
  func result(at location: SourceLocation) async throws -> Exploration {
    let runners = await makeRunners()
    let result: Result<Exploration, any Error>
    do {
      result = .success(try await explore(with: runners, at: location))
    } catch {
      result = .failure(error)
    }
    for runner in runners { await runner.end() }
    return try result.get()
  }

  private func explore(with runners: [any WorldRunner], at location: SourceLocation) async throws -> Exploration {
    try await tryWorlds(with: runners)
    let (found, report, longest) = state.withLock { ($0.found, $0.report, $0.longest) }
    if let found {
      let failure = await ExplorationFailure(
        found, report, limits: shrinkingLimits(longest), attempts: budget.shrinkLimit, by: runners[0], at: location)
      try Task.checkCancellation()
      throw failure
    }
    if let left = report.memoryLeftBehind, left > budget.memoryLeftBehindLimit {
      Issue.record(
        """
        Each world leaves about \(left >> 10) KiB of memory behind: something keeps the world or its programs after its end.
        """, severity: .warning, sourceLocation: location)
    }
    return report
  }

  // MARK: Where worlds run

  private func makeRunners() async -> [any WorldRunner] {
    let count = budget.parallelWorlds ?? WorkerTurns.processors
    let remark: String?
    switch place {
    case _ where budget.isolation == .none: remark = nil
    case .local(let reason): remark = reason
    case .workers where Self.isSanitized: remark = "a sanitizer looks at this process only"
    case .workers(let call):
      let lanes = (0..<count).map { _ in WorkerLane(for: call, growthLimit: budget.memoryLimit / 2) }
      remark = await lanes[0].start()
      if remark == nil {
        state.withLock { $0.report.isolation = .processes }
        return lanes
      }
    }
    state.withLock { $0.report.isolationRemark = remark }
    return (0..<count).map { _ in LocalRunner(body: body) }
  }

  /// A sanitizer has an allocator and signal handlers of its own.
  private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  // MARK: Worlds

  private func order(_ seed: UInt64, _ events: [WorldEvent]) -> WorldOrder {
    WorldOrder(seed: seed, events: events, limits: WorldOrder.Limits(budget))
  }

  /// A world that did not end in one of these limits ends far earlier in the others.
  private func shrinkingLimits(_ longest: Duration) -> WorldOrder.Limits {
    var limits = WorldOrder.Limits(budget)
    limits.processorTime = min(limits.processorTime, max(.seconds(1), longest * 20))
    limits.patience = 10
    return limits
  }

  private func tryWorlds(with runners: [any WorldRunner]) async throws {
    // In this world nothing happens: a failure that comes without events needs none, and the names of the devices are found.
    let calm = await runners[0].run(order(seeds.lowerBound, []))
    try Task.checkCancellation()
    if let failure = calm.failure {
      return state.withLock { $0.found = Found(seed: seeds.lowerBound, events: [], failure: failure) }
    }
    let drawing = EventDrawing(budget: budget, devices: calm.devices)
    let growths = await withTaskGroup(of: MemoryGrowth.self) { group in
      for runner in runners {
        group.addTask {
          var held = MemoryGrowth()
          while !Task.isCancelled, let seed = self.nextSeed() {
            held.add(await self.tryWorld(seed, drawing.events(seed: seed), with: runner))
          }
          return held
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    try Task.checkCancellation()
    state.withLock { state in state.report.memoryLeftBehind = MemoryGrowth.average(of: growths) }
  }

  private func nextSeed() -> UInt64? {
    state.withLock { state in
      guard state.found == nil, let seed = state.next else { return nil }
      state.next = seed < seeds.upperBound ? seed + 1 : nil
      return seed
    }
  }

  private func tryWorld(_ seed: UInt64, _ events: [WorldEvent], with runner: any WorldRunner) async -> WorldReport {
    let report = await runner.run(order(seed, events))
    // The runners of a cancelled exploration are ended, whatever their worlds do.
    guard !Task.isCancelled else { return report }
    state.withLock { state in
      state.report.add(report)
      guard let failure = report.failure else {
        state.longest = max(state.longest, report.processorTime)
        return
      }
      // Worlds with lower seeds that run at this time are waited for.
      guard seed <= state.found?.seed ?? .max else { return }
      state.found = Found(seed: seed, events: events, failure: failure)
    }
    return report
  }
}
