import BLECore
import BLEReports
import BLESession
import Foundation

/// A device in the table of the scan.
struct HeardDevice: Sendable {
  var sighting: Sighting
  /// By the central's clock.
  var lastSeen: Duration
  var isStale = false
  /// The strength in each of the last 60 seconds, oldest first; `nil` for a second without an advertisement.
  private(set) var strengths: [Int?] = []
  private var second: Int64 = 0
  /// The time from one advertisement to the next, smoothed; `nil` before the second.
  private(set) var interval: Duration?
  /// The number of advertisements.
  private(set) var count: Int

  private static let history = 60

  /// - Parameter count: the number of its advertisements so far.
  init(_ sighting: Sighting, at time: Duration, count: Int) {
    self.sighting = sighting
    self.count = count
    lastSeen = time
    second = time.components.seconds
    strengths = [sighting.rssi]
  }

  mutating func hear(_ new: Sighting, at time: Duration, count: Int) {
    if time > lastSeen, count > self.count {
      let gap = (time - lastSeen) / (count - self.count)
      interval = interval.map { $0 * 0.8 + gap * 0.2 } ?? gap
    }
    self.count = count
    sighting = new
    lastSeen = time
    let passed = time.components.seconds - second
    second += max(0, passed)
    if passed > 0 {
      strengths += Array(repeating: nil, count: Int(min(passed, Int64(Self.history))))
      strengths.removeFirst(max(0, strengths.count - Self.history))
    }
    if let rssi = new.rssi { strengths[strengths.count - 1] = rssi }
  }
}

extension HeardDevice: Report {
  static let members: [ReportMember<Self>] =
    Sighting.named.map { $0.of(\.sighting) } + [
      .init("last_seen_ms") { .integer($0.lastSeen.milliseconds) },
      .init("interval_ms") { .integer($0.interval?.milliseconds) }, .init("stale") { .flag($0.isStale) },
      .init("strengths") { .json(.array($0.strengths.map { $0.map(JSONValue.integer) ?? .null })) },
    ]
}

extension Sighting {
  /// Its members, with what the numbers in them are called.
  static let named: [ReportMember<Sighting>] =
    members + [
      .init("company") { .text($0.manufacturerData.flatMap(AssignedNames.company)) },
      .init("service_names") { .texts($0.services.map(AssignedNames.labelled(service:))) },
    ]
}

extension Duration {
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}
