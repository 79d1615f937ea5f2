/// Values in the order in which they were added, each found by its key without a search.
struct KeyedList<Key: Hashable, Value> {
  private struct Place {
    let key: Key
    let value: Value
  }

  /// In order, with gaps where values were removed.
  private var places: [Place?] = []
  private var positions: [Key: Int] = [:]

  var isEmpty: Bool { positions.isEmpty }

  var values: [Value] { places.compactMap { $0?.value } }

  /// Appends a value, if there is none with this key.
  mutating func add(_ value: Value, for key: Key) {
    guard positions[key] == nil else { return }
    positions[key] = places.count
    places.append(Place(key: key, value: value))
  }

  /// Removes a value; `nil` if there is none with this key.
  mutating func remove(_ key: Key) -> Value? {
    guard let position = positions.removeValue(forKey: key) else { return nil }
    let removed = places[position]?.value
    places[position] = nil
    // Gaps are closed when they are the larger part, so that values are seldom moved.
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
