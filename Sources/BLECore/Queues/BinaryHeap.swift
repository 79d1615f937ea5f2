/// An element of a `BinaryHeap`.
public protocol HeapElement {
  /// Whether it comes before the other. Of two that are equal in what counts, the one that was added first should.
  func precedes(_ other: Self) -> Bool
}

/// Elements of which the first is always at hand. Adding one and removing the first take a number of steps that grows with the logarithm
/// of their count, and no memory once the heap has grown. Inlinable for the reason that `FIFO` gives.
public struct BinaryHeap<Element: HeapElement> {
  @usableFromInline var elements: [Element] = []

  /// An empty one.
  @inlinable public init() {}

  /// The number of elements.
  @inlinable public var count: Int { elements.count }
  /// The one that no other precedes; `nil` if there is none.
  @inlinable public var first: Element? { elements.first }

  // Both keep a hole where the element belongs and move others into it, with indices that lie below the count. A change by the array's
  // subscript would check that, and who else has the array, at each step.

  /// Adds an element.
  @inlinable public mutating func push(_ element: Element) {
    elements.append(element)
    elements.withUnsafeMutableBufferPointer { elements in
      var child = elements.count - 1
      while child > 0 {
        let parent = (child - 1) / 2
        guard element.precedes(elements[parent]) else { break }
        elements[child] = elements[parent]
        child = parent
      }
      elements[child] = element
    }
  }

  /// Removes the first; `nil` if there is none.
  @discardableResult
  @inlinable public mutating func popFirst() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard !elements.isEmpty else { return last }
    return elements.withUnsafeMutableBufferPointer { elements in
      let (first, end) = (elements[0], elements.count)
      var parent = 0
      while true {
        var child = 2 * parent + 1
        guard child < end else { break }
        if child + 1 < end, elements[child + 1].precedes(elements[child]) { child += 1 }
        guard elements[child].precedes(last) else { break }
        elements[parent] = elements[child]
        parent = child
      }
      elements[parent] = last
      return first
    }
  }

  /// Removes all that fulfil the condition.
  @inlinable public mutating func removeAll(where isRemoved: (Element) -> Bool) {
    elements.removeAll(where: isRemoved)
    // A sorted array is a heap.
    elements.sort { $0.precedes($1) }
  }
}
