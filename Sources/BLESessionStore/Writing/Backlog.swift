import Foundation

/// The entries to be written. Filled from any thread and emptied on the store's queue, behind a lock that is held only for short
/// operations on the list.
struct Backlog {
  struct Item {
    var session: Int64
    var entry: StoreEntry
  }

  /// What the caller of `add` has to do.
  enum Outcome {
    case refused
    case taken
    /// Schedule a write after the interval.
    case first
    /// Write now.
    case batchFull
  }

  /// The limit of waiting octets, besides that of entries.
  private static let mostOctets = 64 << 20

  private let limit: Int
  private let batch: Int
  private var items: [Item] = []
  private var octets = 0
  private var isDue = false
  private var isClosed = false
  private(set) var statistics = StoreStatistics()
  /// Refused entries by session, since the record's last event for a gap.
  private var gaps: [Int64: Int] = [:]

  init(limit: Int, batch: Int) {
    self.limit = limit
    self.batch = batch
  }

  mutating func add(_ entry: StoreEntry, _ session: Int64) -> Outcome {
    let weight = entry.weight
    guard !isClosed, items.count < limit, octets + weight <= Self.mostOctets, weight <= Bounds.value else {
      statistics.dropped += 1
      gaps[session, default: 0] += 1
      return .refused
    }
    items.append(Item(session: session, entry: entry))
    octets += weight
    statistics.accepted += 1
    if items.count == batch { return .batchFull }
    defer { isDue = true }
    return isDue ? .taken : .first
  }

  /// The oldest entries, which stay in the backlog until `written` is called.
  func next() -> (items: [Item], gaps: [Int64: Int]) {
    (Array(items.prefix(batch)), gaps)
  }

  mutating func written(_ count: Int, values: Int, gaps recorded: [Int64: Int]) -> StoreStatistics {
    octets -= items.prefix(count).reduce(0) { $0 + $1.entry.weight }
    items.removeFirst(count)
    statistics.committed += count
    statistics.committedValues += values
    statistics.transactions += 1
    for (session, number) in recorded {
      gaps[session] = gaps[session].flatMap { $0 > number ? $0 - number : nil }
    }
    return statistics
  }

  /// Returns whether the backlog is empty; then the next entry schedules a write again.
  mutating func finishBatch() -> Bool {
    isDue = !items.isEmpty
    return items.isEmpty
  }

  mutating func expired(_ count: Int) { statistics.expired += count }

  /// Refuses entries from now on.
  mutating func close() { isClosed = true }

  /// Discards the waiting entries.
  mutating func discard() {
    isClosed = true
    statistics.dropped += items.count
    statistics.accepted -= items.count
    items = []
    octets = 0
  }
}
