/// Values by a number that is given out in ascending order, such as an attribute's handle: sorted by it, in memory of its own.
///
/// A discovery adds at the end, and a value is found by halving: without the hash of a dictionary, which takes ten times as many
/// instructions, and in less memory. A constant of its owner for the same reasons as ``PacketQueue``, and inlinable.
public struct SortedTable<Key: Comparable, Value>: ~Copyable {
  public typealias Entry = (key: Key, value: Value)

  @usableFromInline let entries: UnsafeMutablePointer<[Entry]>

  /// Creates an empty table.
  @inlinable public init() {
    entries = .allocate(capacity: 1)
    entries.initialize(to: [])
  }

  deinit {
    entries.deinitialize(count: 1)
    entries.deallocate()
  }

  /// Whether there is no value.
  @inlinable public var isEmpty: Bool { entries.pointee.isEmpty }
  /// The number of values.
  @inlinable public var count: Int { entries.pointee.count }
  /// The keys, in ascending order.
  @inlinable public var keys: [Key] { entries.pointee.map(\.key) }
  /// The values, in the order of their keys.
  @inlinable public var values: [Value] { entries.pointee.map(\.value) }

  /// The value of a key; `nil` if there is none, and to remove it.
  @inlinable public subscript(key: Key) -> Value? {
    get {
      let place = place(of: key)
      guard place < entries.pointee.count, entries.pointee[place].key == key else { return nil }
      return entries.pointee[place].value
    }
    nonmutating set {
      let place = place(of: key)
      let isThere = place < entries.pointee.count && entries.pointee[place].key == key
      // What was there is released after the change: it may use the table.
      var earlier: Value?
      switch (newValue, isThere) {
      case (let value?, true):
        earlier = entries.pointee[place].value
        entries.pointee[place].value = value
      case (let value?, false): entries.pointee.insert((key, value), at: place)
      case (nil, true): earlier = entries.pointee.remove(at: place).value
      case (nil, false): break
      }
      withExtendedLifetime(earlier) {}
    }
  }

  /// Removes all values.
  public func removeAll() {
    let earlier = entries.pointee
    entries.pointee = []
    withExtendedLifetime(earlier) {}
  }

  /// Removes the values for which `isUnwanted` returns true.
  public func removeAll(where isUnwanted: (Key, Value) -> Bool) {
    let earlier = entries.pointee
    let left = earlier.filter { !isUnwanted($0.key, $0.value) }
    entries.pointee = left
    withExtendedLifetime(earlier) {}
  }

  /// The place of a key, or the one at which it would be.
  @inlinable func place(of key: Key) -> Int {
    var (low, high) = (0, entries.pointee.count)
    // Most are added behind the last.
    if let last = entries.pointee.last, last.key < key { return high }
    while low < high {
      let middle = (low + high) / 2
      if entries.pointee[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension SortedTable where Key: Hashable {
  /// A copy as a dictionary.
  public var dictionary: [Key: Value] {
    Dictionary(uniqueKeysWithValues: entries.pointee.map { ($0.key, $0.value) })
  }
}
