/// A queue of closures, oldest first.
struct ClosureQueue {
  private var waiting: [() -> Void] = []
  private var first = 0

  mutating func append(_ sent: @escaping () -> Void) { waiting.append(sent) }

  mutating func removeFirst() -> (() -> Void)? {
    guard first < waiting.count else { return nil }
    defer {
      first += 1
      if first == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        first = 0
      } else if first >= 64, first * 2 >= waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
    }
    return waiting[first]
  }

  mutating func removeAll() -> ArraySlice<() -> Void> {
    defer { self = ClosureQueue() }
    return waiting[first...]
  }
}
