import BLESession
import BLESessionStore
import Foundation

/// How many messages of a collected file have been deleted, and why.
package struct CollectedExpiry: Sendable, Equatable {
  /// Older than the file is to keep.
  package var old = 0
  /// The file had its largest size.
  package var surplus = 0
}

/// Deletes the oldest messages beyond what a collected file is to keep, in portions so that storing is not held up for long.
struct CollectedHousekeeper {
  let retention: Retention
  private var written = 0
  private var last: Date?

  init(_ retention: Retention) { self.retention = retention }

  /// So many messages that one statement deletes, and about so many that one call does.
  private static let (portion, most) = (5_000, 50_000)
  /// The limits are looked at after so many new messages, or after a minute.
  private static let (many, interval) = (512, TimeInterval(60))

  /// - Parameters:
  ///   - count: of messages that were stored since the last call.
  ///   - now: by the clock that has stamped what was received.
  mutating func expire(_ database: Database, stored count: Int, at now: Date) throws(StoreError) -> CollectedExpiry {
    written += count
    let isDue = written >= Self.many || last.map { abs(now.timeIntervalSince($0)) >= Self.interval } ?? true
    guard isDue, retention.age != nil || retention.size != nil else { return CollectedExpiry() }
    (written, last) = (0, now)
    var expired = CollectedExpiry()
    while expired.old + expired.surplus < Self.most {
      let portion = try database.transaction { () throws(StoreError) in try expirePortion(database, now) }
      if portion == CollectedExpiry() { break }
      expired.old += portion.old
      expired.surplus += portion.surplus
    }
    if expired != CollectedExpiry() { try shrink(database) }
    return expired
  }

  private func expirePortion(_ database: Database, _ now: Date) throws(StoreError) -> CollectedExpiry {
    var expired = CollectedExpiry()
    if let age = retention.age {
      try database.run(
        "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE received < ? ORDER BY received LIMIT ?)",
        .time(now.addingTimeInterval(-age.seconds)), .integer(Self.portion))
      expired.old = database.changes
    }
    if let size = retention.size, try used(database) > Int64(size) {
      try database.run("DELETE FROM message WHERE id <= (SELECT min(id) + (max(id) - min(id)) / 16 FROM message)")
      expired.surplus = database.changes
    }
    return expired
  }

  /// Octets of pages in use.
  private func used(_ database: Database) throws(StoreError) -> Int64 {
    try database.number("PRAGMA page_size")
      * (try database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count"))
  }

  /// Free pages are used again; those of a file that is too long are given back.
  private func shrink(_ database: Database) throws(StoreError) {
    guard let size = retention.size else { return }
    let length = try database.number("PRAGMA page_size") * database.number("PRAGMA page_count")
    if length > Int64(size) { try database.run("PRAGMA incremental_vacuum") }
  }
}
