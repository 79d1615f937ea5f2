// What tells runs of one program apart when many of them are tried, and what ends a run from outside. Nothing of it is on by default.

/// The order of what happens at one instant: that of the numbers of the origins, or a drawn one.
struct JobOrder {
  /// `nil`: the default order.
  var chance: SeededEntropy?

  /// Jobs of one origin keep their order: Swift's sort is stable.
  func ordered(_ jobs: [VirtualLoop.Job]) -> [VirtualLoop.Job] {
    guard jobs.count > 1 else { return jobs }
    guard let chance else { return jobs.sorted { $0.origin < $1.origin } }
    let key = chance.next()
    // The common origin stays in front: it carries what the test does to devices, before what their programs do.
    let ranked = jobs.map { entry in
      (rank: entry.origin == .common ? 0 : SeededEntropy(seed: key ^ UInt64(entry.origin.rawValue)).next() | 1, entry)
    }
    return ranked.sorted { $0.rank < $1.rank }.map(\.1)
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

  /// Calls `watch` each time the clock stands still: all jobs and callbacks of the instant are done. After it has returned false the
  /// clock does not advance any more, and every run ends with `limitPassed`. On the loop, or before its first run.
  public func setWatch(_ watch: (@Sendable () -> Bool)?) { rounds.watch = watch }

  func isHalted() -> Bool {
    if !rounds.isHalted, let watch = rounds.watch { rounds.isHalted = !watch() }
    return rounds.isHalted
  }
}
