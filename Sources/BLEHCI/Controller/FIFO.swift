/// A queue whose operations at both ends cost the same at any length.
struct FIFO<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var count: Int { elements.count - head }

  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    var element: Element?
    swap(&element, &elements[head])
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Changes the first element in place; the queue must not be empty.
  mutating func updateFirst(_ change: (inout Element) -> Void) {
    guard var element = popped() else { return }
    change(&element)
    elements[head] = element
  }

  /// Takes the first element out of its place, so that its storage has one owner while it is changed.
  private mutating func popped() -> Element? {
    guard head < elements.count else { return nil }
    var element: Element?
    swap(&element, &elements[head])
    return element
  }

  mutating func removeAll() {
    elements.removeAll()
    head = 0
  }
}
