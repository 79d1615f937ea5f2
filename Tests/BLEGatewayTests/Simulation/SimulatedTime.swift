/// A clock that jumps from one event to the next. Events of one instant happen in the order in which they were scheduled.
final class SimulatedTime {
  private struct Event {
    let at: Duration
    let number: Int
    let run: () -> Void
    func isBefore(_ other: Event) -> Bool { at == other.at ? number < other.number : at < other.at }
  }

  private(set) var now = Duration.zero
  private(set) var count = 0
  private var heap: [Event] = []

  func after(_ delay: Duration, _ run: @escaping () -> Void) { at(now + delay, run) }

  func at(_ instant: Duration, _ run: @escaping () -> Void) {
    count += 1
    heap.append(Event(at: max(instant, now), number: count, run: run))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Everything that is due until `end` happens.
  func run(until end: Duration) {
    while let first = heap.first, first.at <= end {
      removeFirst()
      now = first.at
      first.run()
    }
    now = end
  }

  private func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}

extension Duration {
  static func fraction(_ seconds: Double) -> Duration { .nanoseconds(Int64(seconds * 1e9)) }
}
