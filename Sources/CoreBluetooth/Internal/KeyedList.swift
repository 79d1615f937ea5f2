/// Values in the order in which they were added, each found by its key without looking at the others.
struct KeyedList<Key: Hashable, Value> {
  private struct Place {
    let key: Key
    let value: Value
  }

  /// In their order, with gaps where values were taken out.
  private var places: [Place?] = []
  private var positions: [Key: Int] = [:]

  var isEmpty: Bool { positions.isEmpty }

  var values: [Value] { places.compactMap { $0?.value } }

  /// Adds a value at the end, where there is none with this key.
  mutating func add(_ value: Value, for key: Key) {
    guard positions[key] == nil else { return }
    positions[key] = places.count
    places.append(Place(key: key, value: value))
  }

  /// Takes a value out; `nil` where there is none with this key.
  mutating func remove(_ key: Key) -> Value? {
    guard let position = positions.removeValue(forKey: key) else { return nil }
    let removed = places[position]?.value
    places[position] = nil
    // The gaps are closed when they are most of it, so that a value is moved seldom.
    if places.count >= 16, positions.count * 2 < places.count { closeGaps() }
    return removed
  }

  private mutating func closeGaps() {
    places.removeAll { $0 == nil }
    for (position, place) in places.enumerated() {
      if let place { positions[place.key] = position }
    }
  }
}
