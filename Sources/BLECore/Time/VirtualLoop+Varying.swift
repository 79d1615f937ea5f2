// What tells runs of one program apart when many of them are tried, and what ends a run from outside. Nothing of it is on by default.

/// The order of what happens at one instant: that of the numbers of the origins, or a drawn one.
struct JobOrder {
  /// `nil`: the default order.
  var chance: SeededEntropy?

  /// Jobs of one origin keep their order: Swift's sort is stable.
  func order(_ jobs: inout [VirtualLoop.Job]) {
    guard jobs.count > 1 else { return }
    guard let chance else {
      // Most rounds have the jobs of one program: then there is nothing to do, and to sort takes memory.
      if !Self.isOrdered(jobs) { jobs.sort { $0.origin < $1.origin } }
      return
    }
    let key = chance.next()
    // The common origin stays in front: it carries what the test does to devices, before what their programs do.
    let ranked = jobs.map { entry in
      (rank: entry.origin == .common ? 0 : SeededEntropy(seed: key ^ UInt64(entry.origin.rawValue)).next() | 1, entry)
    }
    jobs = ranked.sorted { $0.rank < $1.rank }.map(\.1)
  }

  private static func isOrdered(_ jobs: [VirtualLoop.Job]) -> Bool {
    for index in 1..<jobs.count where jobs[index].origin < jobs[index - 1].origin { return false }
    return true
  }

  /// Exchanges those deliveries whose order a system does not promise.
  func vary(_ deliveries: inout [(delivery: any CallbackDelivery, process: ProcessNumber?)]) {
    guard let chance, deliveries.count > 1 else { return }
    let places = deliveries.indices.filter { deliveries[$0].delivery.isIndependent }
    guard places.count > 1 else { return }
    for place in (1..<places.count).reversed() {
      deliveries.swapAt(places[place], places[Int(chance.uniform(0..<UInt64(place + 1)))])
    }
  }
}

extension VirtualLoop {
  /// Draws the order of jobs of different origins in one round, and of independent callbacks, instead of sorting them by the
  /// numbers of their origins. Each such order is one that threads of a real machine could cause. On the loop, or before its first run.
  public func varyOrder(by chance: SeededEntropy) { rounds.order.chance = chance }

  /// Calls `watch` with the clock's instant each time the clock stands still: all jobs and callbacks of the instant are done. After it has
  /// returned false the clock does not advance any more, and every run ends with `limitPassed`. On the loop, or before its first run.
  public func setWatch(_ watch: (@Sendable (StackInstant) -> Bool)?) { rounds.watch = watch }

  func isHalted() -> Bool {
    if !rounds.isHalted, let watch = rounds.watch { rounds.isHalted = !watch(now) }
    return rounds.isHalted
  }
}
