import BLESessionStore
import Foundation

/// The number of rows in a recording, and its time span.
struct HistorySummary: Report {
  private let path: String
  private let counts: StoreSummary
  private let first: Date?
  private let last: Date?

  private static let rows: [ReportMember<StoreSummary>] = [
    .init("devices") { .integer($0.devices) }, .init("sessions") { .integer($0.sessions) },
    .init("connections") { .integer($0.connections) }, .init("values") { .integer($0.values) },
    .init("rssi") { .integer($0.signals) }, .init("events") { .integer($0.events) },
  ]
  static let members: [ReportMember<Self>] =
    [
      .init("file") { .text($0.path) }, .init("from") { .word($0.first?.stamp) },
      .init("until") { .word($0.last?.stamp) },
    ] + rows.map { $0.of(\.counts) }

  init(_ reader: StoreReader, _ path: String) throws(StoreError) {
    self.path = path
    counts = try reader.summary()
    let sessions = try reader.sessions()
    var (first, last): (Date?, Date?) = (nil, nil)
    while let session = try sessions.next() {
      first = min(first ?? session.began, session.began)
      last = max(last ?? session.until, session.until)
    }
    (self.first, self.last) = (first, last)
  }

  var text: String {
    let rows = Self.rows.map { (name: $0.name, number: $0.value(counts).json.text) }
    let span = first.map { "\($0.stamp) to \((last ?? $0).stamp)" } ?? "nothing was recorded yet"
    return ([path.inert + ": " + span] + Self.aligned(rows)).joined(separator: "\n")
  }

  /// Numbers below each other, behind their names.
  static func aligned(_ rows: [(name: String, number: String)]) -> [String] {
    let width = rows.map(\.number.count).max() ?? 1
    return rows.map { name, number in
      name + String(repeating: " ", count: 14 - name.count + width - number.count) + number
    }
  }
}
