import BLESession

/// What is not heard for too long is forgotten, and of too many devices the one that was heard longest ago.
extension PresenceBoard {
  /// When `advance(to:)` has to be called next; `nil`: not before something is heard.
  public var wake: Duration? {
    mutating get {
      [recent.others.oldest, recent.lasting.oldest]
        .compactMap { oldest in oldest.flatMap { devices[$0] }.map { $0.heardAt + rules.absence } }.min()
    }
  }

  /// The clock has reached `now`: devices that were not heard for too long are nowhere, and forgotten.
  public mutating func advance(to now: Duration) -> [PresenceChange] {
    advance(\.recent.others, to: now) + advance(\.recent.lasting, to: now)
  }

  private mutating func advance(
    _ names: WritableKeyPath<Self, RecentNames<String>>, to now: Duration
  ) -> [PresenceChange] {
    var changes: [PresenceChange] = []
    while let oldest = self[keyPath: names].oldest, let entry = devices[oldest], now - entry.heardAt >= rules.absence {
      if entry.keeper != nil {
        devices[oldest]?.heardAt = now
        _ = self[keyPath: names].use(oldest, most: .max)
      } else {
        _ = self[keyPath: names].removeOldest()
        changes += forget(oldest)
      }
    }
    return changes
  }

  /// Notes a use of a device. It may be that another one is forgotten for it.
  mutating func use(_ device: String) -> [PresenceChange] {
    renew(device, most: max(1, rules.mostDevices)).map { forget($0) } ?? []
  }

  /// - Returns: the device that is to be forgotten for it.
  @discardableResult
  mutating func renew(_ device: String, most: Int = .max) -> String? {
    lasting.contains(device) ? recent.lasting.use(device, most: .max) : recent.others.use(device, most: most)
  }

  mutating func drop(_ device: String) {
    recent.others.remove(device)
    recent.lasting.remove(device)
  }

  mutating func forget(_ device: String) -> [PresenceChange] {
    guard let gone = devices.removeValue(forKey: device), gone.room != nil || gone.isExpected else { return [] }
    return [PresenceChange(device: device, room: nil, before: gone.room, gateway: nil, strength: nil)]
  }
}
