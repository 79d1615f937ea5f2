/// Octets that come in behind and go out in front.
struct OctetQueue {
  private var octets: [UInt8] = []
  private var head = 0

  var count: Int { octets.count - head }
  var isEmpty: Bool { head == octets.count }

  mutating func append(_ more: ArraySlice<UInt8>) {
    // What is in front of the head is thrown away when it is most of the storage: each octet is moved once at the most.
    if head > 0, head >= octets.count - head {
      octets.removeFirst(head)
      head = 0
    }
    octets.append(contentsOf: more)
  }

  /// Takes what fits into `buffer`.
  mutating func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let taken = min(buffer.count, count)
    octets.withUnsafeBufferPointer { source in
      _ = buffer.update(fromContentsOf: source[head..<head + taken])
    }
    head += taken
    if isEmpty { _ = removeAll() }
    return taken
  }

  /// How many there were.
  mutating func removeAll() -> Int {
    defer {
      octets.removeAll(keepingCapacity: true)
      head = 0
    }
    return count
  }
}
