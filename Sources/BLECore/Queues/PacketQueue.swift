/// A first-in, first-out queue in memory of its own: a ring, in which no element moves when another is removed.
///
/// For what every packet passes. The queue is a constant of its owner: its numbers and elements lie behind a pointer, so that the compiler
/// neither checks for exclusive access nor counts a reference, which it does for a collection in a property that is changed in place. It is
/// not needed: no operation calls anything while it changes the queue, and an element that is removed is released when that is done.
///
/// Inlinable and public for the same reason as ``FIFO``.
public struct PacketQueue<Element>: ~Copyable {
  @usableFromInline struct State {
    /// `count` elements from `head` on are initialized; no other place is.
    @usableFromInline var ring: UnsafeMutableBufferPointer<Element>
    @usableFromInline var head = 0
    @usableFromInline var count = 0

    @inlinable init() { ring = UnsafeMutableBufferPointer(start: nil, count: 0) }
  }

  @usableFromInline let state: UnsafeMutablePointer<State>
  /// A ring with more room is given back when the queue is empty.
  @inlinable static var keptCapacity: Int { 64 }

  /// Creates an empty queue.
  @inlinable public init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    removeAll()
    state.pointee.ring.deallocate()
    state.deallocate()
  }

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool { state.pointee.count == 0 }
  /// The number of elements.
  @inlinable public var count: Int { state.pointee.count }

  /// The first element; the queue must not be empty.
  @inlinable public var first: Element {
    get {
      precondition(!isEmpty)
      return state.pointee.ring[state.pointee.head]
    }
    nonmutating set {
      precondition(!isEmpty)
      // Released after the change: it may use the queue.
      let place = state.pointee.ring.baseAddress.unsafelyUnwrapped + state.pointee.head
      let replaced = place.move()
      place.initialize(to: newValue)
      _ = consume replaced
    }
  }

  /// Adds an element behind all others.
  @inlinable public func append(_ element: consuming Element) {
    if state.pointee.count == state.pointee.ring.count { grow() }
    let (head, count, capacity) = (state.pointee.head, state.pointee.count, state.pointee.ring.count)
    let place = head + count
    state.pointee.ring.initializeElement(at: place < capacity ? place : place - capacity, to: element)
    state.pointee.count = count + 1
  }

  /// Removes the first element and returns it; the queue must not be empty.
  @inlinable @discardableResult
  public func removeFirst() -> Element {
    precondition(!isEmpty)
    let head = state.pointee.head
    let element = state.pointee.ring.moveElement(from: head)
    state.pointee.head = head + 1 < state.pointee.ring.count ? head + 1 : 0
    state.pointee.count -= 1
    if state.pointee.count == 0, state.pointee.ring.count > Self.keptCapacity { giveBack() }
    return element
  }

  /// Removes the first element and returns it; `nil` if there is none.
  @inlinable public func popFirst() -> Element? { isEmpty ? nil : removeFirst() }

  /// Removes all elements.
  @inlinable public func removeAll() { while !isEmpty { removeFirst() } }

  /// Returns all elements, in order; the queue is empty then.
  public func takeAll() -> [Element] {
    var all: [Element] = []
    all.reserveCapacity(count)
    while !isEmpty { all.append(removeFirst()) }
    return all
  }

  @usableFromInline func giveBack() {
    state.pointee.ring.deallocate()
    state.pointee.ring = UnsafeMutableBufferPointer(start: nil, count: 0)
    state.pointee.head = 0
  }

  @usableFromInline func grow() {
    let (ring, head) = (state.pointee.ring, state.pointee.head)
    let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(4, 2 * ring.count))
    for index in 0..<count {
      let place = head + index
      larger.initializeElement(at: index, to: ring.moveElement(from: place < ring.count ? place : place - ring.count))
    }
    ring.deallocate()
    state.pointee.ring = larger
    state.pointee.head = 0
  }
}
