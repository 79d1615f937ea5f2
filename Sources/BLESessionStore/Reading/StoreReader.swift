import BLESession
import CoreBluetooth

/// Reads a record, even while it is being written. Never changes it.
///
/// ```swift
/// let reader = try StoreReader(file: file)
/// let values = try reader.values(StoreFilter(from: yesterday, paths: [CharacteristicPath("2A37")]))
/// while let value = try values.next() { ... }
/// ```
///
/// Used by one thread at a time; any number of readers may read a file.
public final class StoreReader {
  /// The record's location.
  public let file: URL
  let database: Database

  /// Opens a record.
  /// - Throws: `cannotOpen`, `newerVersion`, `notAStore`, `notADatabase`, `corrupt`, `busy`.
  public init(file: URL) throws(StoreError) {
    self.file = file
    database = try Database.openForReading(file.path)
  }

  /// The devices last seen within the times of `filter`, in that order.
  public func devices(_ filter: StoreFilter = StoreFilter()) throws(StoreError) -> StoreCursor<StoredDevice> {
    var query = Query(
      """
      SELECT identifier, name, address, services, manufacturer_data, first_seen, last_seen, last_seen AS time, id FROM device
      """)
    query.add("last_seen >= ?", filter.from.map { .time($0) })
    query.add("first_seen < ?", filter.until.map { .time($0) })
    query.add("identifier", oneOf: filter.devices?.map { .identifier($0) })
    if let session = filter.session {
      query.add(
        """
        id IN (SELECT device FROM connection WHERE session = ? UNION SELECT device FROM value WHERE session = ?
          UNION SELECT device FROM signal WHERE session = ? UNION SELECT device FROM event WHERE session = ?)
        """, Array(repeating: .integer(session), count: 4))
    }
    query.order(by: "last_seen", "id", last: filter.last)
    return try StoreCursor(database, query.text, query.values) { row in
      guard let identifier = row.identifier(0), let first = row.time(5), let last = row.time(6) else { return nil }
      return StoredDevice(
        identifier: identifier, name: row.text(1), address: row.text(2),
        services: row.text(3)?.split(separator: " ").map(String.init) ?? [], manufacturerData: row.octets(4),
        firstSeen: first, lastSeen: last)
    }
  }

  /// The sessions that overlap the times of `filter`, in the order in which they began.
  public func sessions(_ filter: StoreFilter = StoreFilter()) throws(StoreError) -> StoreCursor<StoredSession> {
    var query = Query("SELECT id, substr(title, 1, 4096), began, until, ending, began AS time FROM session")
    query.add("until >= ?", filter.from.map { .time($0) })
    query.add("began < ?", filter.until.map { .time($0) })
    query.add("id = ?", filter.session.map { .integer($0) })
    query.order(by: "began", "id", last: filter.last)
    return try StoreCursor(database, query.text, query.values) { row in
      guard let id = row.integer(0), let began = row.time(2), let until = row.time(3) else { return nil }
      return StoredSession(
        id: id, title: row.text(1) ?? "", began: began, until: until,
        ending: row.text(4).flatMap(StoredSession.Ending.init))
    }
  }

  /// The connections that overlap the times of `filter`, in the order in which they began.
  public func connections(_ filter: StoreFilter = StoreFilter()) throws(StoreError) -> StoreCursor<StoredConnection> {
    var query = Query(
      """
      SELECT c.id, c.session, d.identifier, d.name, c.origin, c.began, c.ready, c.ended, c.ending, c.error, c.began AS time
      FROM connection c JOIN device d ON d.id = c.device
      """)
    query.add("(c.ended IS NULL OR c.ended >= ?)", filter.from.map { .time($0) })
    query.add("c.began < ?", filter.until.map { .time($0) })
    query.add("d.identifier", oneOf: filter.devices?.map { .identifier($0) })
    query.add("c.session = ?", filter.session.map { .integer($0) })
    query.order(by: "c.began", "c.id", last: filter.last)
    return try StoreCursor(database, query.text, query.values) { row in
      guard let id = row.integer(0), let session = row.integer(1), let device = row.identifier(2),
        let began = row.time(5)
      else { return nil }
      return StoredConnection(
        id: id, session: session, device: device, deviceName: row.text(3),
        origin: row.text(4).flatMap(ConnectionOrigin.init), began: began, ready: row.time(6), ended: row.time(7),
        ending: row.text(8).flatMap(StoredConnection.Ending.init), error: row.text(9))
    }
  }

  /// The values of characteristics, ordered by time.
  public func values(_ filter: StoreFilter = StoreFilter()) throws(StoreError) -> StoreCursor<StoredValue> {
    var query = Query(
      """
      SELECT v.id, v.session, d.identifier, d.name, v.time AS time, v.service, v.characteristic, v.instance, v.source,
        v.octets
      FROM value v JOIN device d ON d.id = v.device
      """)
    query.add(common: filter, time: "v.time", session: "v.session")
    query.add(filter.paths)
    query.order(by: "v.time", "v.id", last: filter.last)
    return try StoreCursor(database, query.text, query.values) { row in
      guard let id = row.integer(0), let session = row.integer(1), let device = row.identifier(2),
        let time = row.time(4),
        let characteristic = row.text(6), let octets = row.octets(9)
      else { return nil }
      return StoredValue(
        id: id, session: session, device: device, deviceName: row.text(3), time: time, service: row.text(5),
        characteristic: characteristic, instance: Int(row.integer(7) ?? 0),
        source: row.text(8).flatMap(StoredValue.Source.init), octets: octets)
    }
  }

  /// The events, ordered by time.
  public func events(_ filter: StoreFilter = StoreFilter()) throws(StoreError) -> StoreCursor<StoredEvent> {
    var query = Query(
      """
      SELECT e.id, e.session, d.identifier, d.name, e.time AS time, e.kind, e.detail
      FROM event e LEFT JOIN device d ON d.id = e.device
      """)
    query.add(common: filter, time: "e.time", session: "e.session")
    query.add("e.kind = ?", filter.kind.map { .text($0) })
    query.order(by: "e.time", "e.id", last: filter.last)
    return try StoreCursor(database, query.text, query.values) { row in
      guard let id = row.integer(0), let session = row.integer(1), let time = row.time(4), let kind = row.text(5) else {
        return nil
      }
      return StoredEvent(
        id: id, session: session, device: row.identifier(2), deviceName: row.text(3), time: time, kind: kind,
        detail: row.text(6))
    }
  }

  /// The signal strengths, ordered by time.
  public func signals(_ filter: StoreFilter = StoreFilter()) throws(StoreError) -> StoreCursor<StoredSignal> {
    var query = Query(
      """
      SELECT s.id, s.session, d.identifier, d.name, s.time AS time, s.rssi, s.smoothed, s.source
      FROM signal s JOIN device d ON d.id = s.device
      """)
    query.add(common: filter, time: "s.time", session: "s.session")
    query.order(by: "s.time", "s.id", last: filter.last)
    return try StoreCursor(database, query.text, query.values) { row in
      guard let id = row.integer(0), let session = row.integer(1), let device = row.identifier(2),
        let time = row.time(4),
        let rssi = row.integer(5)
      else { return nil }
      return StoredSignal(
        id: id, session: session, device: device, deviceName: row.text(3), time: time, rssi: Int(rssi),
        smoothed: row.real(6), source: row.text(7).flatMap(StoredSignal.Source.init))
    }
  }
}

extension Query {
  fileprivate mutating func add(common filter: StoreFilter, time: SQLText, session: SQLText) {
    add(time + " >= ?", filter.from.map { .time($0) })
    add(time + " < ?", filter.until.map { .time($0) })
    add("d.identifier", oneOf: filter.devices?.map { .identifier($0) })
    add(session + " = ?", filter.session.map { .integer($0) })
  }
}
