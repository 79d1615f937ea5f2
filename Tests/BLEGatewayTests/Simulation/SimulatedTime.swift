import BLECore

/// A clock that jumps from one event to the next. Events of one instant happen in the order in which they were scheduled.
final class SimulatedTime {
  private struct Event: HeapElement {
    let at: Duration
    let number: Int
    let run: () -> Void
    func precedes(_ other: Event) -> Bool { at == other.at ? number < other.number : at < other.at }
  }

  private(set) var now = Duration.zero
  private(set) var count = 0
  private var heap = BinaryHeap<Event>()

  func after(_ delay: Duration, _ run: @escaping () -> Void) { at(now + delay, run) }

  func at(_ instant: Duration, _ run: @escaping () -> Void) {
    count += 1
    heap.push(Event(at: max(instant, now), number: count, run: run))
  }

  /// Everything that is due until `end` happens.
  func run(until end: Duration) {
    while let first = heap.first, first.at <= end {
      heap.popFirst()
      now = first.at
      first.run()
    }
    now = end
  }
}

extension Duration {
  static func fraction(_ seconds: Double) -> Duration { .nanoseconds(Int64(seconds * 1e9)) }
}
