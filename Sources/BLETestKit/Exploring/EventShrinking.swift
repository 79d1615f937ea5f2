import BLECore
import BLEFaults

/// Finds the shortest list of events with which a world still fails in the same way, and with the smallest numbers.
///
/// Events are left out in large parts first, then one by one, until none can be spared (delta debugging). What is left is moved
/// to earlier and rounder times, and made shorter. Each attempt is a run of the world.
struct EventShrinking {
  private(set) var events: [WorldEvent]
  private(set) var attempts = 0
  private let limit: Int
  private let fails: ([WorldEvent]) async -> Bool
  /// What was tried, with the answer.
  private var known: [[WorldEvent]: Bool] = [:]

  /// - Parameters:
  ///   - limit: the maximum number of runs.
  ///   - fails: whether a world with these events fails in the same way.
  init(_ events: [WorldEvent], limit: Int, fails: @escaping ([WorldEvent]) async -> Bool) {
    self.events = events
    self.limit = limit
    self.fails = fails
  }

  mutating func run() async {
    await leaveOut()
    for index in events.indices {
      await makeEarlier(index)
      await makeShorter(index)
      await makeSimpler(index)
    }
    // With other times, less may be needed.
    await leaveOut()
  }

  /// - Returns: whether the candidate replaces the events.
  private mutating func accept(_ candidate: [WorldEvent]) async -> Bool {
    let answer: Bool
    if let earlier = known[candidate] {
      answer = earlier
    } else {
      guard attempts < limit, !Task.isCancelled else { return false }
      attempts += 1
      answer = await fails(candidate)
      known[candidate] = answer
    }
    if answer { events = candidate }
    return answer
  }

  private mutating func leaveOut() async {
    var size = max(1, events.count / 2)
    while !events.isEmpty {
      var start = 0
      var hasSpared = false
      while start < events.count {
        var candidate = events
        candidate.removeSubrange(start..<min(start + size, events.count))
        if await accept(candidate) { hasSpared = true } else { start += size }
      }
      if size == 1, !hasSpared { return }
      size = max(1, min(size, events.count) / 2)
    }
  }

  private mutating func makeEarlier(_ index: Int) async {
    guard !events[index].happening.kind.isCircumstance else { return }
    for time in Self.candidates(below: events[index].time) where time < events[index].time {
      var candidate = events
      candidate[index].time = time
      if await accept(candidate) { return }
    }
  }

  private mutating func makeShorter(_ index: Int) async {
    guard let length = events[index].happening.length else { return }
    for shorter in Self.candidates(below: length) where shorter > .zero {
      var candidate = events
      candidate[index].happening.length = shorter
      if await accept(candidate) { return }
    }
  }

  private mutating func makeSimpler(_ index: Int) async {
    while case .fault(let fault, let device) = events[index].happening {
      var hasFound = false
      for simpler in fault.simpler where !hasFound {
        var candidate = events
        candidate[index].happening = .fault(simpler, device)
        hasFound = await accept(candidate)
      }
      if !hasFound { return }
    }
  }

  /// Round durations below this one, the smallest first; then this one rounded down.
  private static func candidates(below duration: Duration) -> [Duration] {
    let whole = WorldEvent.milliseconds(duration)
    let round: [Int64] = [0, 100, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000]
    let rounded = [whole / 10_000 * 10_000, whole / 1_000 * 1_000, whole / 100 * 100].filter { $0 > 0 }
    return (round + rounded).filter { $0 < whole }.map { .milliseconds($0) }
  }
}
