/// Names in the order of their last use, so that the oldest can be forgotten. Each use costs the same, on average.
struct RecentNames<Name: Hashable & Sendable>: Sendable {
  private var uses: [Name: UInt64] = [:]
  private var queue: [(name: Name, use: UInt64)] = []
  private var head = 0
  private var counter: UInt64 = 0
  /// How many entries of the queue were looked at so far: what the uses have cost.
  private(set) var steps = 0

  var count: Int { uses.count }

  /// Notes a use.
  /// - Returns: the name that is forgotten for it, where there are more than `most`.
  mutating func use(_ name: Name, most: Int) -> Name? {
    counter += 1
    uses[name] = counter
    queue.append((name, counter))
    if queue.count - head > 2 * uses.count + 64 { compact() }
    return uses.count > most ? removeOldest() : nil
  }

  /// The name that was not used for the longest time.
  var oldest: Name? {
    mutating get {
      // Names that were used since then stand further behind.
      while head < queue.count, uses[queue[head].name] != queue[head].use {
        head += 1
        steps += 1
      }
      return head < queue.count ? queue[head].name : nil
    }
  }

  mutating func removeOldest() -> Name? {
    guard let name = oldest else { return nil }
    uses[name] = nil
    return name
  }

  mutating func remove(_ name: Name) { uses[name] = nil }

  private mutating func compact() {
    steps += queue.count - head
    queue = queue[head...].filter { uses[$0.name] == $0.use }
    head = 0
  }
}
