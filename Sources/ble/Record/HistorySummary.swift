import BLESessionStore
import Foundation

/// The number of rows in a recording, and its time span.
struct HistorySummary {
  private let path: String
  private let counts: StoreSummary
  private let first: Date?
  private let last: Date?

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
    let rows = [
      ("devices", counts.devices), ("sessions", counts.sessions), ("connections", counts.connections),
      ("values", counts.values), ("rssi", counts.signals), ("events", counts.events),
    ]
    let width = rows.map { String($0.1).count }.max() ?? 1
    let lines = rows.map { name, count in
      let number = String(count)
      return name + String(repeating: " ", count: 14 - name.count + width - number.count) + number
    }
    let span = first.map { "\($0.stamp) to \((last ?? $0).stamp)" } ?? "nothing was recorded yet"
    return ([path.inert + ": " + span] + lines).joined(separator: "\n")
  }

  var json: JSONValue {
    .object([
      "file": .string(path), "from": .string(orNull: first?.stamp), "until": .string(orNull: last?.stamp),
      "devices": .integer(counts.devices), "sessions": .integer(counts.sessions),
      "connections": .integer(counts.connections), "values": .integer(counts.values), "rssi": .integer(counts.signals),
      "events": .integer(counts.events),
    ])
  }
}
