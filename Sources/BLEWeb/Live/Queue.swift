/// First in, first out. Taking from it does not move what remains.
struct Queue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[head] }

  /// Those from the one at `index`, where the oldest has 0.
  func dropFirst(_ index: Int) -> ArraySlice<Element> { elements[head...].dropFirst(index) }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() {
    guard !isEmpty else { return }
    head += 1
    // Each element is moved once at the most for each that was taken.
    guard head * 2 > elements.count else { return }
    elements.removeFirst(head)
    head = 0
  }

  mutating func removeAll() { self = Queue() }
}

extension Queue: Sendable where Element: Sendable {}
