/// The entries of a keeper by the time at which they have to be looked at. Of those of one time the first added comes first.
struct DueQueue {
  private struct Item {
    let at: Duration
    let number: UInt64
    let entry: LeaseEntry

    func isBefore(_ other: Item) -> Bool { at == other.at ? number < other.number : at < other.at }
  }

  private var heap: [Item] = []
  private var number: UInt64 = 0

  /// The earliest time; an entry of that time may have got a later one meanwhile.
  var first: Duration? { heap.first?.at }

  /// Notes the entry's `due`. An entry that stands here with an earlier time stays there, and comes again then: most are put off often.
  mutating func add(_ entry: LeaseEntry) {
    if let queuedAt = entry.queuedAt, queuedAt <= entry.due { return }
    entry.queuedAt = entry.due
    number += 1
    heap.append(Item(at: entry.due, number: number, entry: entry))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The next entry that is due at `now`.
  mutating func next(at now: Duration) -> LeaseEntry? {
    while let first = heap.first, first.at <= now {
      removeFirst()
      // It stands here a second time, with an earlier time that has come already.
      guard first.entry.queuedAt == first.at else { continue }
      first.entry.queuedAt = nil
      if first.entry.due <= now { return first.entry }
      add(first.entry)
    }
    return nil
  }

  private mutating func removeFirst() {
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
