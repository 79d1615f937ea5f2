import Foundation

/// The number of rows of each kind in a record.
public struct StoreSummary: Sendable, Hashable {
  /// Devices.
  public var devices: Int
  /// Sessions of recorders.
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
  /// Counts all rows.
  public func summary() throws(StoreError) -> StoreSummary {
    // Row by row: SQLite would count a whole table in one step, which `StepLimit` can't interrupt.
    func count(_ text: SQLText) throws(StoreError) -> Int {
      Int(try database.number(text + " WHERE +rowid IS NOT NULL"))
    }
    return StoreSummary(
      devices: try count("SELECT COUNT(*) FROM device"), sessions: try count("SELECT COUNT(*) FROM session"),
      connections: try count("SELECT COUNT(*) FROM connection"), values: try count("SELECT COUNT(*) FROM value"),
      events: try count("SELECT COUNT(*) FROM event"), signals: try count("SELECT COUNT(*) FROM signal"))
  }

  /// Checks every page of the file.
  /// - Returns: one sentence for each damage; empty where the file is intact.
  public func damages() throws(StoreError) -> [String] {
    let found = try StoreCursor(database, "PRAGMA integrity_check", []) { $0.text(0) }.all()
    let orphans = try StoreCursor(database, "PRAGMA foreign_key_check", []) { row in
      "a row of \(row.text(0) ?? "?") refers to a row that does not exist"
    }.all()
    return found.filter { $0 != "ok" } + orphans
  }
}
