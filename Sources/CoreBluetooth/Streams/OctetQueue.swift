/// A queue of octets.
struct OctetQueue {
  private var octets: [UInt8] = []
  private var head = 0

  var count: Int { octets.count - head }
  var isEmpty: Bool { head == octets.count }

  mutating func append(_ more: ArraySlice<UInt8>) {
    // The octets before the head are removed when they are the larger part of the storage: each octet is moved at most once.
    if head > 0, head >= octets.count - head {
      octets.removeFirst(head)
      head = 0
    }
    octets.append(contentsOf: more)
  }

  /// Moves as many octets as fit into `buffer`.
  mutating func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let taken = min(buffer.count, count)
    octets.withUnsafeBufferPointer { source in
      _ = buffer.update(fromContentsOf: source[head..<head + taken])
    }
    head += taken
    if isEmpty { _ = removeAll() }
    return taken
  }

  /// Returns how many there were.
  mutating func removeAll() -> Int {
    defer {
      octets.removeAll(keepingCapacity: true)
      head = 0
    }
    return count
  }
}
