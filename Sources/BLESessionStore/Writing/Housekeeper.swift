import Foundation

/// Deletes the oldest rows beyond the retention limits, in small portions so that writing can continue.
final class Housekeeper {
  private let database: Database
  private let retention: Retention
  private var written = 0
  private var last = DispatchTime.now()

  /// The maximum number of rows that one statement deletes.
  private static let portion: Int64 = 5_000
  /// The approximate maximum number of rows that one call deletes.
  private static let most = 50_000
  /// After this many new rows the limits are checked; with fewer, after a second.
  private static let many = 512

  init(_ database: Database, _ retention: Retention) {
    self.database = database
    self.retention = retention
  }

  func noteWritten(_ count: Int) { written += count }

  /// Deletes rows, and returns how many.
  /// - Parameter isLast: whether this is the last call.
  func expire(at now: Date, isLast: Bool) throws(StoreError) -> Int {
    let isDue = isLast || written >= Self.many || DispatchTime.now() > last + .seconds(1)
    guard isDue, !retention.isUnlimited else { return 0 }
    written = 0
    last = .now()
    let limit = isLast ? .max : Self.most
    var count = 0
    while count < limit {
      let portion = try database.transaction { () throws(StoreError) in try expirePortion(now) }
      if portion == 0 { break }
      count += portion
    }
    if count > 0 { try shrink() }
    return count
  }

  private func expirePortion(_ now: Date) throws(StoreError) -> Int {
    var count = 0
    if let age = retention.age {
      count += try expire(before: StoreTime.microseconds(of: now.addingTimeInterval(-Double(age.milliseconds) / 1_000)))
    }
    if let rows = retention.rows { count += try expire(beyond: Int64(rows)) }
    if let size = retention.size, try used() > Int64(size) { count += try expireSixteenth() }
    return count
  }

  private func delete(_ text: SQLText, _ first: Int64, _ second: Int64) throws(StoreError) -> Int {
    try database.run(text, .integer(first), .integer(second))
    return database.changes
  }

  private func expire(before time: Int64) throws(StoreError) -> Int {
    var count = 0
    for table in Self.old { count += try delete(table, time, Self.portion) }
    return count
  }

  private static let old: [SQLText] = [
    "DELETE FROM value WHERE id IN (SELECT id FROM value WHERE time < ? ORDER BY time LIMIT ?)",
    "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE time < ? ORDER BY time LIMIT ?)",
    "DELETE FROM signal WHERE id IN (SELECT id FROM signal WHERE time < ? ORDER BY time LIMIT ?)",
    "DELETE FROM connection WHERE id IN (SELECT id FROM connection WHERE ended < ? ORDER BY began LIMIT ?)",
    "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE ending IS NOT NULL AND until < ? LIMIT ?)",
    """
    DELETE FROM device WHERE id IN (
      SELECT id FROM device WHERE last_seen < ? AND remembered IS NULL
        AND id NOT IN (SELECT device FROM connection WHERE ended IS NULL) ORDER BY last_seen LIMIT ?)
    """,
  ]

  /// Row numbers ascend, and the lowest are deleted first: so the range of numbers is never smaller than the number of rows.
  private func expire(beyond rows: Int64) throws(StoreError) -> Int {
    var count = 0
    for table in Self.surplus { count += try delete(table, rows, Self.portion) }
    if try database.number("SELECT COUNT(*) FROM device") > rows {
      count += try delete(
        """
        DELETE FROM device WHERE id IN (
          SELECT id FROM device WHERE remembered IS NULL AND id NOT IN (SELECT device FROM connection WHERE ended IS NULL)
          ORDER BY last_seen LIMIT min(?2, (SELECT COUNT(*) FROM device) - ?1))
        """, rows, Self.portion)
    }
    return count
  }

  private static let surplus: [SQLText] = [
    "DELETE FROM value WHERE id IN (SELECT id FROM value WHERE id <= (SELECT max(id) FROM value) - ? ORDER BY id LIMIT ?)",
    "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE id <= (SELECT max(id) FROM event) - ? ORDER BY id LIMIT ?)",
    "DELETE FROM signal WHERE id IN (SELECT id FROM signal WHERE id <= (SELECT max(id) FROM signal) - ? ORDER BY id LIMIT ?)",
    """
    DELETE FROM connection WHERE id IN (
      SELECT id FROM connection WHERE ended IS NOT NULL AND id <= (SELECT max(id) FROM connection) - ? ORDER BY id LIMIT ?)
    """,
    """
    DELETE FROM session WHERE id IN (
      SELECT id FROM session WHERE ending IS NOT NULL AND id <= (SELECT max(id) FROM session) - ? ORDER BY id LIMIT ?)
    """,
  ]

  /// Octets of pages in use.
  private func used() throws(StoreError) -> Int64 {
    try database.number("PRAGMA page_size")
      * (try database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count"))
  }

  /// Deletes the oldest sixteenth of each table that grows.
  private func expireSixteenth() throws(StoreError) -> Int {
    var count = 0
    for table in Self.sixteenth {
      try database.run(table)
      count += database.changes
    }
    return count
  }

  private static let sixteenth: [SQLText] = [
    "DELETE FROM value WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 16 FROM value)",
    "DELETE FROM event WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 16 FROM event)",
    "DELETE FROM signal WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 16 FROM signal)",
    """
    DELETE FROM connection WHERE ended IS NOT NULL
      AND id <= (SELECT min(id) + (max(id) - min(id)) / 16 FROM connection)
    """,
    """
    DELETE FROM device WHERE remembered IS NULL AND id NOT IN (SELECT device FROM connection WHERE ended IS NULL)
      AND last_seen < (SELECT min(last_seen) + (max(last_seen) - min(last_seen)) / 16 FROM device)
    """,
  ]

  /// Shrinks a file that exceeds the limit; otherwise its free pages are reused.
  private func shrink() throws(StoreError) {
    guard let size = retention.size else { return }
    let length = try database.number("PRAGMA page_size") * database.number("PRAGMA page_count")
    if length > Int64(size) { try database.run("PRAGMA incremental_vacuum") }
  }
}
