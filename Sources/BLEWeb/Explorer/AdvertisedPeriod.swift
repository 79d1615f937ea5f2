import BLEReports

/// What a device advertised from one change to the next.
struct AdvertisedPeriod: Sendable {
  /// From 1 for each device.
  let number: Int
  /// Its contents. The strength is that of the first.
  let sighting: Sighting
  /// By the central's clock.
  let firstSeen: Duration
  var lastSeen: Duration
  /// How often it was heard.
  var count: Int
  /// The weakest and the strongest, in dBm, of those that were reported: one a second at most.
  private(set) var strengths: ClosedRange<Int>?

  init(_ number: Int, _ sighting: Sighting, at time: Duration, count: Int) {
    (self.number, self.sighting, firstSeen, lastSeen, self.count) = (number, sighting, time, time, count)
    add(sighting.rssi)
  }

  mutating func hear(_ rssi: Int?, at time: Duration, count: Int) {
    lastSeen = time
    self.count += count
    add(rssi)
  }

  private mutating func add(_ rssi: Int?) {
    guard let rssi else { return }
    strengths = min(strengths?.lowerBound ?? rssi, rssi)...max(strengths?.upperBound ?? rssi, rssi)
  }

  /// Octets in memory, about; never fewer than its texts and data have.
  var size: Int {
    let services = sighting.services.count + sighting.solicitedServices.count + sighting.overflowServices.count
    return 512 + (sighting.name?.utf8.count ?? 0) + 64 * services + (sighting.manufacturerData?.count ?? 0)
      + sighting.serviceData.reduce(0) { $0 + 64 + $1.data.count }
  }
}

extension AdvertisedPeriod {
  /// The same for all advertisements of a device, or of no advertisement alone.
  private static let omitted: Set<String> = ["identifier", "address", "rssi"]

  private static let contents = Sighting.named.filter { !omitted.contains($0.name) }

  /// - Parameter earlier: the one before; `nil` for the oldest that is kept.
  func json(after earlier: AdvertisedPeriod?) -> JSONValue {
    let own = Self.contents.map { JSONValue.Member(key: $0.name, value: $0.value(sighting).json) }
    let changed = earlier.map { earlier in
      zip(Self.contents, own).filter { $0.value(earlier.sighting).json != $1.value }.map(\.1.key)
    }
    return .combined(
      [
        "number": .integer(number), "first_seen_ms": .integer(firstSeen.milliseconds),
        "last_seen_ms": .integer(lastSeen.milliseconds), "count": .integer(count),
        "rssi_min": strengths.map { .integer($0.lowerBound) } ?? .null,
        "rssi_max": strengths.map { .integer($0.upperBound) } ?? .null,
        "changed": .array((changed ?? []).map(JSONValue.string)),
      ], .object(own))
  }
}
