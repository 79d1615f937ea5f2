/// A queue whose operations at both ends cost the same at any length.
///
/// Inlinable and public, because packets pass through it in other targets: as a package's generic type it is not specialized there, which
/// takes a notification two and a half times as long.
public struct FIFO<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  /// Creates an empty queue.
  @inlinable public init() {}

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool { head == elements.count }
  /// The number of elements.
  @inlinable public var count: Int { elements.count - head }

  /// The element that `popFirst` returns next; `nil` if there is none.
  @inlinable public var first: Element? { isEmpty ? nil : elements[head] }

  /// Adds an element behind all others.
  @inlinable public mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the first element and returns it; `nil` if there is none.
  @inlinable public mutating func popFirst() -> Element? {
    guard let element = popped() else { return nil }
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
  @inlinable public mutating func updateFirst(_ change: (inout Element) -> Void) {
    guard var element = popped() else { return }
    change(&element)
    elements[head] = element
  }

  /// Takes the first element out of its place, so that its storage has one owner while it is changed.
  @inlinable mutating func popped() -> Element? {
    guard head < elements.count else { return nil }
    var element: Element?
    swap(&element, &elements[head])
    return element
  }

  /// Returns all elements, in order; the queue is empty then.
  @inlinable public mutating func takeAll() -> [Element] {
    defer { removeAll() }
    return elements[head...].compactMap { $0 }
  }

  /// Removes all elements.
  @inlinable public mutating func removeAll() {
    elements.removeAll()
    head = 0
  }
}
