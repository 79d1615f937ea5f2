import BLEReports
import BLESession
import BLESessionStore
import BLEText
import CoreBluetooth

/// The conditions of a query.
package struct CollectedFilter: Sendable {
  /// From this moment on, and before this one, by the gateways' clocks.
  package var from: Date?
  package var until: Date?
  package var gateway: String?
  /// The newest so many.
  package var last: Int?
  /// Which of the messages are wanted.
  package var matches: @Sendable (CollectedMessage) -> Bool = { _ in true }

  package init() {}
}

/// Reads what was collected, also while it is being written. Used by one thread at a time.
package final class CollectedReader {
  private let database: Database

  package init(_ path: String) throws(StoreError) {
    database = try Database.openForReading(path, schema: .collected)
  }

  /// Messages of one kind in the order in which they were stored. One is in memory at a time.
  package func messages(
    _ kind: CollectedMessage.Kind, _ filter: CollectedFilter
  ) throws(StoreError) -> StoreCursor<CollectedMessage> {
    var from: Int64 = 0
    if let last = filter.last {
      guard last > 0, let found = try number(ofNewest: last, kind, filter) else {
        return try rows(kind, filter, from: .max, isNewestFirst: false) { $1 }
      }
      from = found
    }
    return try rows(kind, filter, from: from, isNewestFirst: false) { $1 }
  }

  /// The number of the row with which the newest so many begin; `nil` where there is none at all.
  private func number(
    ofNewest count: Int, _ kind: CollectedMessage.Kind, _ filter: CollectedFilter
  ) throws(StoreError) -> Int64? {
    let numbers = try rows(kind, filter, from: 0, isNewestFirst: true) { number, _ in number }
    var (number, left): (Int64?, Int) = (nil, count)
    while left > 0, let next = try numbers.next() { (number, left) = (next, left - 1) }
    return number
  }

  private static let columns: SQLText = """
    SELECT id, key, gateway, device, event, time, payload FROM message
    WHERE id >= ?1 AND (?2 IS NULL OR time >= ?2) AND (?3 IS NULL OR time < ?3) AND (?4 IS NULL OR gateway = ?4)
    """

  private func rows<Value>(
    _ kind: CollectedMessage.Kind, _ filter: CollectedFilter, from: Int64, isNewestFirst: Bool,
    _ value: @escaping (Int64, CollectedMessage) -> Value
  ) throws(StoreError) -> StoreCursor<Value> {
    let values: [SQLValue] = [
      .integer(from), .text(orNull: filter.from?.stamp), .text(orNull: filter.until?.stamp),
      .text(orNull: filter.gateway),
    ]
    return try StoreCursor(
      database, Self.columns + (isNewestFirst ? " ORDER BY id DESC" : " ORDER BY id"), values
    ) { row in
      guard let id = row.integer(0), let event = row.text(4), CollectedMessage.Kind(event) == kind,
        let message = Self.message(row, event), filter.matches(message)
      else { return nil }
      return value(id, message)
    }
  }

  /// `nil` for a row that another program has written.
  private static func message(_ row: Row, _ event: String) -> CollectedMessage? {
    guard let key = row.text(1), let gateway = row.text(2), let time = row.text(5), let payload = row.octets(6),
      payload.count <= 65_536, let json = try? PositionedJSONReader.read(octets: payload)
    else { return nil }
    return CollectedMessage(
      key: key, gateway: gateway, device: row.text(3), event: event, time: time, payload: JSONValue(json))
  }

  /// The devices, in the order of their last messages.
  package func devices(_ filter: CollectedFilter) throws(StoreError) -> StoreCursor<CollectedDevice> {
    let (database, last) = (database, filter.last)
    return try StoreCursor(
      database,
      """
      SELECT * FROM (
        SELECT device, min(time), max(time) AS latest, count(*), max(id) AS newest FROM message
        WHERE device IS NOT NULL AND (?1 IS NULL OR time >= ?1) AND (?2 IS NULL OR time < ?2)
          AND (?3 IS NULL OR gateway = ?3)
        GROUP BY device ORDER BY newest DESC LIMIT ?4) ORDER BY newest
      """,
      [
        .text(orNull: filter.from?.stamp), .text(orNull: filter.until?.stamp), .text(orNull: filter.gateway),
        .integer(last.map { max(0, $0) } ?? -1),
      ]
    ) { row in
      guard let device = row.text(0), let first = row.text(1), let last = row.text(2), let newest = row.integer(4)
      else { return nil }
      let message = (try? Self.newest(of: device, through: newest, database)) ?? nil
      guard message.map(filter.matches) ?? true else { return nil }
      return CollectedDevice(
        device: device, identifier: message?.identifier, address: message?.address, name: message?.name,
        first: first, last: last, messages: Int(row.integer(3) ?? 0), gateway: message?.gateway)
    }
  }

  /// The newest message in which the device is named.
  private static func newest(
    of device: String, through id: Int64, _ database: Database
  ) throws(StoreError) -> CollectedMessage? {
    try StoreCursor(
      database,
      """
      SELECT id, key, gateway, device, event, time, payload FROM message
      WHERE device = ? AND event IN ('value', 'notification', 'rssi', 'discovered', 'connected') AND id <= ?
      ORDER BY id DESC LIMIT 1
      """, [.text(device), .integer(id)]
    ) { row in row.text(4).flatMap { message(row, $0) } }.next()
  }

  /// Counts all messages.
  package func summary() throws(StoreError) -> CollectedSummary {
    var summary = CollectedSummary()
    let events = try StoreCursor(
      database, "SELECT event, count(*), min(time), max(time) FROM message GROUP BY event", []
    ) { row in (row.text(0) ?? "", Int(row.integer(1) ?? 0), row.text(2), row.text(3)) }
    while let (event, count, first, last) = try events.next() {
      switch CollectedMessage.Kind(event) {
      case .value: summary.values += count
      case .strength: summary.strengths += count
      case .event: summary.events += count
      }
      summary.first = [summary.first, first].compactMap(\.self).min()
      summary.last = [summary.last, last].compactMap(\.self).max()
    }
    summary.gateways = Int(try database.number("SELECT count(DISTINCT gateway) FROM message"))
    summary.devices = Int(try database.number("SELECT count(DISTINCT device) FROM message"))
    summary.size = Int(try database.number("PRAGMA page_size") * (try database.number("PRAGMA page_count")))
    return summary
  }
}
