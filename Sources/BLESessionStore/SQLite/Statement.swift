import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// A prepared statement.
final class Statement {
  /// SQLITE_TRANSIENT: SQLite copies the value.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  fileprivate let handle: OpaquePointer
  /// Not retained: the database retains its prepared statements. A cursor retains both.
  private unowned let database: Database

  init(_ database: Database, _ text: SQLText) throws(StoreError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v2(database.handle, text.text, -1, &handle, nil)
    guard code == SQLITE_OK, let handle else { throw database.error(code) }
    self.handle = handle
    self.database = database
    database.stepLimit.begin()
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLValue]) throws(StoreError) {
    for (place, value) in zip(Int32(1)..., values) {
      let code = bind(value, at: place)
      if code != SQLITE_OK { throw database.error(code) }
    }
  }

  private func bind(_ value: SQLValue, at place: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, place)
    case .integer(let number): return sqlite3_bind_int64(handle, place, number)
    case .real(let number): return sqlite3_bind_double(handle, place, number)
    case .text(var text):
      // Bound with its length, since it may contain NUL. An empty buffer has no address and would be bound as NULL.
      return text.withUTF8 { octets in
        octets.withMemoryRebound(to: CChar.self) {
          $0.isEmpty
            ? sqlite3_bind_text(handle, place, "", 0, Self.copied)
            : sqlite3_bind_text64(
              handle, place, $0.baseAddress, sqlite3_uint64($0.count), Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    case .octets(let data):
      if data.isEmpty { return sqlite3_bind_zeroblob(handle, place, 0) }
      return data.withUnsafeBytes {
        sqlite3_bind_blob64(handle, place, $0.baseAddress, sqlite3_uint64($0.count), Self.copied)
      }
    }
  }

  /// Advances to the next row. Returns false where there is none.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.error(code)
    }
  }

  /// Prepares for the next run. Errors of the last one were thrown by `step`.
  func reset() {
    sqlite3_reset(handle)
    database.stepLimit.begin()
    sqlite3_clear_bindings(handle)
  }
}

/// The current row of a statement. A value of another type than requested is converted or `nil`, never a trap: another program may have
/// written the file.
package struct Row {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement.handle, column) == SQLITE_NULL }

  package func integer(_ column: Int32) -> Int64? {
    isNull(column) ? nil : sqlite3_column_int64(statement.handle, column)
  }

  package func real(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(statement.handle, column)
  }

  /// The whole text, including NUL; octets that are not UTF-8 are replaced.
  package func text(_ column: Int32) -> String? {
    guard !isNull(column), let octets = sqlite3_column_text(statement.handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement.handle, column))
    return String(decoding: UnsafeBufferPointer(start: octets, count: count), as: UTF8.self)
  }

  package func octets(_ column: Int32) -> Data? {
    if isNull(column) { return nil }
    guard let octets = sqlite3_column_blob(statement.handle, column) else { return Data() }
    return Data(bytes: octets, count: Int(sqlite3_column_bytes(statement.handle, column)))
  }

  package func time(_ column: Int32) -> Date? { integer(column).map(StoreTime.date) }
  package func identifier(_ column: Int32) -> UUID? { text(column).flatMap { UUID(uuidString: $0) } }
}
