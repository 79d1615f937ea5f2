import Foundation

/// The devices found by a scan, as a table that changes during the scan.
struct ScanTable {
  enum Order: String, CaseIterable, Sendable {
    case signal, name, time

    var next: Order {
      let all = Self.allCases
      return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
  }

  struct Row: Sendable {
    var sighting: Sighting
    /// The time of the last advertisement, in seconds since the scan began.
    var time: Double
    var trend: SignalTrend
    /// The order of discovery.
    let number: Int
  }

  private(set) var rows: [UUID: Row] = [:]
  var order = Order.signal
  /// Whether there are more devices than the limit, which are ignored.
  private(set) var isFull = false

  /// The time without an advertisement, in seconds, after which a device is shown faintly.
  static let staleAfter = 10.0
  private static let trendSeconds = 12
  private static let limit = 65_536

  mutating func add(_ heard: Sighting, at time: Double) {
    if var row = rows.removeValue(forKey: heard.identifier) {
      row.sighting = heard.merged(with: row.sighting)
      row.time = time
      if let rssi = heard.rssi { row.trend.add(rssi, at: time) }
      rows[heard.identifier] = row
      return
    }
    guard rows.count < Self.limit else { return isFull = true }
    var trend = SignalTrend(seconds: Self.trendSeconds)
    if let rssi = heard.rssi { trend.add(rssi, at: time) }
    rows[heard.identifier] = Row(sighting: heard, time: time, trend: trend, number: rows.count)
  }

  /// The first `count` devices in the table's order. Only as many as are shown are sorted, because there may be many thousands.
  func first(_ count: Int) -> [Row] {
    guard count > 0 else { return [] }
    if count >= rows.count { return rows.values.sorted(by: isBefore) }
    var best: [Row] = []
    for row in rows.values {
      if best.count == count, let last = best.last, !isBefore(row, last) { continue }
      let place = best.firstIndex { isBefore(row, $0) } ?? best.count
      best.insert(row, at: place)
      if best.count > count { best.removeLast() }
    }
    return best
  }

  private func isBefore(_ left: Row, _ right: Row) -> Bool {
    switch order {
    case .signal:
      // In steps of 5 dB, so that devices of similar RSSI keep their order.
      let (first, second) = ((left.sighting.rssi ?? -128) / 5, (right.sighting.rssi ?? -128) / 5)
      if first != second { return first > second }
    case .name:
      let (first, second) = (left.sighting.name, right.sighting.name)
      if first != second { return second.map { other in first.map { $0 < other } ?? false } ?? true }
    case .time:
      if left.time.rounded() != right.time.rounded() { return left.time > right.time }
    }
    return left.number < right.number
  }
}

extension Sighting {
  /// The new advertisement, completed by the fields of the earlier one.
  func merged(with earlier: Sighting) -> Sighting {
    var merged = self
    merged.name = name ?? earlier.name
    merged.rssi = rssi ?? earlier.rssi
    if services.isEmpty { merged.services = earlier.services }
    if solicitedServices.isEmpty { merged.solicitedServices = earlier.solicitedServices }
    if overflowServices.isEmpty { merged.overflowServices = earlier.overflowServices }
    merged.manufacturerData = manufacturerData ?? earlier.manufacturerData
    if serviceData.isEmpty { merged.serviceData = earlier.serviceData }
    merged.txPower = txPower ?? earlier.txPower
    return merged
  }
}
