/// A first-in, first-out queue that does not move its elements at each removal.
///
/// A class with memory of its own, because a connection event asks its queues many times: each question reads a number, for which the
/// compiler proves that nothing else changes it at that moment. Of a collection it cannot prove this, and checks at each access.
final class PacketQueue<Element> {
  /// A ring. `count` elements from `head` on are initialized; no other place is.
  private var ring: UnsafeMutableBufferPointer<Element>
  private var head = 0
  private(set) var count = 0

  init() { ring = UnsafeMutableBufferPointer(start: nil, count: 0) }

  deinit {
    removeAll()
    ring.deallocate()
  }

  var isEmpty: Bool { count == 0 }

  /// The first element; the queue must not be empty.
  var first: Element {
    get {
      precondition(count > 0)
      return ring[head]
    }
    set {
      precondition(count > 0)
      ring[head] = newValue
    }
  }

  func append(_ element: Element) {
    if count == ring.count { grow() }
    let place = head + count
    ring.initializeElement(at: place < ring.count ? place : place - ring.count, to: element)
    count += 1
  }

  /// The first element, which is removed; the queue must not be empty.
  @discardableResult
  func removeFirst() -> Element {
    precondition(count > 0)
    let element = ring.moveElement(from: head)
    head = head + 1 < ring.count ? head + 1 : 0
    count -= 1
    return element
  }

  func removeAll() { while count > 0 { removeFirst() } }

  private func grow() {
    let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(4, 2 * ring.count))
    for index in 0..<count {
      let place = head + index
      larger.initializeElement(
        at: index, to: ring.moveElement(from: place < ring.count ? place : place - ring.count))
    }
    ring.deallocate()
    ring = larger
    head = 0
  }
}
