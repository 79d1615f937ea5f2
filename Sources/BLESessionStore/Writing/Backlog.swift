import Foundation

/// What waits to be written. Filled from any thread and emptied on the store's queue, behind a lock that is held for no longer than a
/// line of the list takes.
struct Backlog {
  struct Item {
    var session: Int64
    var entry: StoreEntry
  }

  /// What the caller of `add` has to see to.
  enum Outcome {
    case refused
    case taken
    /// Somebody has to write after the interval.
    case first
    /// Somebody has to write now.
    case enough
  }

  /// Octets that may wait, besides the number of entries.
  private static let mostOctets = 64 << 20

  private let limit: Int
  private let batch: Int
  private var items: [Item] = []
  private var octets = 0
  private var isDue = false
  private var isClosed = false
  private(set) var statistics = StoreStatistics()
  /// What was refused since it was last told in the record.
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
    if items.count == batch { return .enough }
    defer { isDue = true }
    return isDue ? .taken : .first
  }

  /// The oldest entries, which stay here until they are `written`.
  func next() -> (items: [Item], gaps: [Int64: Int]) {
    (Array(items.prefix(batch)), gaps)
  }

  mutating func written(_ count: Int, values: Int, gaps told: [Int64: Int]) -> StoreStatistics {
    octets -= items.prefix(count).reduce(0) { $0 + $1.entry.weight }
    items.removeFirst(count)
    statistics.committed += count
    statistics.committedValues += values
    statistics.transactions += 1
    for (session, number) in told {
      gaps[session] = gaps[session].flatMap { $0 > number ? $0 - number : nil }
    }
    return statistics
  }

  /// Whether there is nothing to write; then the next entry is the first again.
  mutating func rest() -> Bool {
    isDue = !items.isEmpty
    return items.isEmpty
  }

  mutating func expired(_ count: Int) { statistics.expired += count }

  /// Nothing is taken any more.
  mutating func close() { isClosed = true }

  /// Gives up what waits.
  mutating func discard() {
    isClosed = true
    statistics.dropped += items.count
    statistics.accepted -= items.count
    items = []
    octets = 0
  }
}
