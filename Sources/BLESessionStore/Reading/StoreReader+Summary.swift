import Foundation

/// How much there is of everything in a record.
public struct StoreSummary: Sendable, Hashable {
  /// Devices that were seen.
  public var devices: Int
  /// Runs of recorders.
  public var sessions: Int
  /// Connections to devices.
  public var connections: Int
  /// Values of characteristics.
  public var values: Int
  /// Events of every kind.
  public var events: Int
  /// Measurements of signals.
  public var signals: Int
}

extension StoreReader {
  /// Counts everything.
  public func summary() throws(StoreError) -> StoreSummary {
    // Row by row: SQLite counts a whole table in one step, which nothing limits.
    func count(_ text: SQLText) throws(StoreError) -> Int {
      Int(try database.number(text + " WHERE +rowid IS NOT NULL"))
    }
    return StoreSummary(
      devices: try count("SELECT COUNT(*) FROM device"), sessions: try count("SELECT COUNT(*) FROM session"),
      connections: try count("SELECT COUNT(*) FROM connection"), values: try count("SELECT COUNT(*) FROM value"),
      events: try count("SELECT COUNT(*) FROM event"), signals: try count("SELECT COUNT(*) FROM signal"))
  }

  /// Looks at every page of the file.
  /// - Returns: what is wrong with it, a sentence each; nothing where it is whole.
  public func damages() throws(StoreError) -> [String] {
    let found = try StoreCursor(database, "PRAGMA integrity_check", []) { $0.text(0) }.all()
    let orphans = try StoreCursor(database, "PRAGMA foreign_key_check", []) { row in
      "a row of \(row.text(0) ?? "?") belongs to nothing"
    }.all()
    return found.filter { $0 != "ok" } + orphans
  }
}
