import BLECore

/// The entries of a keeper by the time at which they have to be looked at. Of those of one time the first added comes first.
struct DueQueue {
  private struct Item: HeapElement {
    let at: Duration
    let number: UInt64
    let entry: LeaseEntry

    func precedes(_ other: Item) -> Bool { at == other.at ? number < other.number : at < other.at }
  }

  private var heap = BinaryHeap<Item>()
  private var number: UInt64 = 0

  /// The earliest time; an entry of that time may have got a later one meanwhile.
  var first: Duration? { heap.first?.at }

  /// Notes the entry's `due`. An entry that stands here with an earlier time stays there, and comes again then: most are put off often.
  mutating func add(_ entry: LeaseEntry) {
    if let queuedAt = entry.queuedAt, queuedAt <= entry.due { return }
    entry.queuedAt = entry.due
    number += 1
    heap.push(Item(at: entry.due, number: number, entry: entry))
  }

  /// The next entry that is due at `now`.
  mutating func next(at now: Duration) -> LeaseEntry? {
    while let first = heap.first, first.at <= now {
      heap.popFirst()
      // It stands here a second time, with an earlier time that has come already.
      guard first.entry.queuedAt == first.at else { continue }
      first.entry.queuedAt = nil
      if first.entry.due <= now { return first.entry }
      add(first.entry)
    }
    return nil
  }
}
