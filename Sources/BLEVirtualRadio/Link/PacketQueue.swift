/// A first-in, first-out queue that does not move its elements at each removal.
struct PacketQueue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var count: Int { elements.count - head }
  /// The first element; the queue must not be empty.
  var first: Element {
    get { elements[head] }
    set { elements[head] = newValue }
  }

  mutating func append(_ element: Element) { elements.append(element) }

  /// The queue must not be empty.
  mutating func removeFirst() {
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 32 {
      elements.removeFirst(head)
      head = 0
    }
  }

  mutating func removeAll() {
    elements.removeAll()
    head = 0
  }
}
