/// Names in the order of their last use, so that the oldest can be forgotten. Each use costs the same, on average.
package struct RecentNames<Name: Hashable & Sendable>: Sendable {
  private var uses: [Name: UInt64] = [:]
  private var queue: [(name: Name, use: UInt64)] = []
  private var head = 0
  private var counter: UInt64 = 0
  /// How many entries of the queue were looked at so far: what the uses have cost.
  package private(set) var steps = 0

  package init() {}

  package var count: Int { uses.count }
  /// How many uses are stored: at most `2 * count + 66` after each use, also where each name is used once and forgotten for another.
  package var stored: Int { queue.count }

  /// Notes a use.
  /// - Returns: the name that is forgotten for it, where there are more than `most`.
  package mutating func use(_ name: Name, most: Int) -> Name? {
    counter += 1
    uses[name] = counter
    queue.append((name, counter))
    if queue.count > 2 * uses.count + 64 { compact() }
    return uses.count > most ? removeOldest() : nil
  }

  /// The name that was not used for the longest time.
  package var oldest: Name? {
    mutating get {
      // Names that were used since then stand further behind.
      while head < queue.count, uses[queue[head].name] != queue[head].use {
        head += 1
        steps += 1
      }
      return head < queue.count ? queue[head].name : nil
    }
  }

  package mutating func removeOldest() -> Name? {
    guard let name = oldest else { return nil }
    uses[name] = nil
    return name
  }

  package mutating func remove(_ name: Name) { uses[name] = nil }

  private mutating func compact() {
    steps += queue.count - head
    queue = queue[head...].filter { uses[$0.name] == $0.use }
    head = 0
  }
}
