/// Names in the order of their last use, so that the oldest can be forgotten. Each use costs the same, on average.
struct RecentNames: Sendable {
  private var uses: [String: UInt64] = [:]
  private var queue: [(name: String, use: UInt64)] = []
  private var head = 0
  private var counter: UInt64 = 0

  var count: Int { uses.count }

  /// Notes a use.
  /// - Returns: the name that is forgotten for it, where there are more than `most`.
  mutating func use(_ name: String, most: Int) -> String? {
    counter += 1
    uses[name] = counter
    queue.append((name, counter))
    if queue.count - head > 2 * uses.count + 64 { compact() }
    return uses.count > most ? removeOldest() : nil
  }

  /// The name that was not used for the longest time.
  var oldest: String? {
    mutating get {
      // Names that were used since then stand further behind.
      while head < queue.count, uses[queue[head].name] != queue[head].use { head += 1 }
      return head < queue.count ? queue[head].name : nil
    }
  }

  mutating func removeOldest() -> String? {
    guard let name = oldest else { return nil }
    uses[name] = nil
    return name
  }

  private mutating func compact() {
    queue = queue[head...].filter { uses[$0.name] == $0.use }
    head = 0
  }
}
