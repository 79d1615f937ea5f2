import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// One connection to an SQLite file. Used by one thread at a time.
package final class Database {
  package enum Access {
    /// The file is created where it does not exist.
    case writing
    /// Read only. SQLite's auxiliary files are removed by the next writer, or because of `removesAuxiliaryFiles`.
    case reading
    /// Read only, for a file that does not change, on a medium that cannot be written: SQLite ignores its auxiliary files.
    case readingUnchanged
  }

  let path: String
  let handle: OpaquePointer
  /// Whether the auxiliary files that reading has created are removed when this is closed.
  var removesAuxiliaryFiles = false
  let stepLimit: StepLimit
  private var prepared: [SQLText: Statement] = [:]

  /// - Parameter patience: the busy timeout: how long to wait for another program's lock.
  init(_ path: String, _ access: Access, patience: Duration) throws(StoreError) {
    self.path = path
    var handle: OpaquePointer?
    let code = Self.open(path, access, &handle)
    guard let handle, code == SQLITE_OK else {
      let error = StoreError(sqlite: code, handle.map(Self.message), path)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    stepLimit = StepLimit(path)
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(clamping: patience.milliseconds))
    stepLimit.limit(handle)
    try restrict()
    if access != .writing { try run(script: "PRAGMA query_only = ON") }
  }

  deinit {
    prepared = [:]
    // Statements that are still retained elsewhere keep it open until they are finalized.
    sqlite3_close_v2(handle)
    if removesAuxiliaryFiles, Self.exists(path + "-shm"), !Self.exists(path + "-journal") {
      Self.removeAuxiliaryFiles(path)
    }
  }

  /// A file may come from an attacker (<https://www.sqlite.org/security.html>, section 1.2): so its schema can't call functions with side
  /// effects, its internal tables can't be written to, its pages are checked when they are read, and a row is no longer than those
  /// written here.
  private func restrict() throws(StoreError) {
    #if canImport(CSQLite)
      // Apple's library is defensive by default.
      sqlite3_set_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    #endif
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 4 << 20)
    try run(script: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
  }

  /// Opens a connection that can write: closing it, as the last one, removes SQLite's empty auxiliary files.
  private static func removeAuxiliaryFiles(_ path: String) {
    var handle: OpaquePointer?
    if sqlite3_open_v2(path, &handle, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE, nil) == SQLITE_OK {
      sqlite3_exec(handle, "SELECT COUNT(*) FROM sqlite_master", nil, nil, nil)
    }
    sqlite3_close_v2(handle)
  }

  private static func open(_ path: String, _ access: Access, _ handle: inout OpaquePointer?) -> Int32 {
    let common = SQLITE_OPEN_NOMUTEX
    switch access {
    case .writing: return sqlite3_open_v2(path, &handle, common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    case .reading: return sqlite3_open_v2(path, &handle, common | SQLITE_OPEN_READONLY, nil)
    case .readingUnchanged:
      let allowed = CharacterSet(charactersIn: "/-._~").union(.alphanumerics)
      let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
      return sqlite3_open_v2(
        "file:\(escaped)?immutable=1", &handle, common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
    }
  }

  fileprivate static func message(_ handle: OpaquePointer) -> String {
    sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown error"
  }

  func error(_ code: Int32) -> StoreError { StoreError(sqlite: code, Self.message(handle), path) }

  /// Runs one or more statements without parameters and results.
  package func run(script: SQLText) throws(StoreError) {
    let code = sqlite3_exec(handle, script.text, nil, nil, nil)
    if code != SQLITE_OK { throw error(code) }
  }

  /// Runs a statement to its end. It stays prepared for the next time.
  package func run(_ text: SQLText, _ values: SQLValue...) throws(StoreError) {
    let statement = try prepare(text)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// The result of `read` for the first row; `nil` where there is none.
  package func first<Value>(_ text: SQLText, _ values: SQLValue..., read: (Row) -> Value) throws(StoreError) -> Value? {
    let statement = try prepare(text)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? read(Row(statement)) : nil
  }

  /// The number in the first row, 0 where there is none.
  package func number(_ text: SQLText, _ values: SQLValue...) throws(StoreError) -> Int64 {
    let statement = try prepare(text)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? Row(statement).integer(0) ?? 0 : 0
  }

  private func prepare(_ text: SQLText) throws(StoreError) -> Statement {
    if let statement = prepared[text] { return statement }
    let statement = try Statement(self, text)
    prepared[text] = statement
    return statement
  }

  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }
  /// The number of rows that the last statement changed.
  package var changes: Int { Int(sqlite3_changes(handle)) }

  /// Runs `body` in a transaction, which is rolled back where it throws.
  package func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try run("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      // SQLite may have rolled back by itself, for example when the disk is full.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }
}

extension StoreError {
  /// SQLite's error, with advice on what to do.
  init(sqlite code: Int32, _ said: String?, _ path: String) {
    let reason = said ?? sqlite3_errstr(code).map { String(cString: $0) } ?? "error \(code)"
    let (kind, text): (Code, String) =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another program has locked it (\(reason)): close it there, or wait")
      case SQLITE_FULL: (.full, "there is no room (\(reason)): make room on the disk")
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
        (.readOnly, "it cannot be written (\(reason)): check its permissions and those of its folder")
      case SQLITE_NOTADB: (.notADatabase, "it is not a record (\(reason)): name another file")
      case SQLITE_INTERRUPT:
        (
          .corrupt,
          "it is damaged, or made to keep programs busy (it holds more rows than it has room for): move it away"
        )
      case SQLITE_CORRUPT:
        (.corrupt, "it is damaged (\(reason)): move it away; sqlite3's '.recover' may save what is in it")
      case SQLITE_CANTOPEN: (.cannotOpen, "it cannot be opened (\(reason)): check the path and the permissions")
      default: (.failed, reason)
      }
    self.init(kind, text, file: path, resultCode: code)
  }
}

extension Duration {
  /// Whole milliseconds, never below 0.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (thousands, isTooMuch) = max(0, seconds).multipliedReportingOverflow(by: 1_000)
    return isTooMuch ? .max : max(0, thousands &+ attoseconds / 1_000_000_000_000_000)
  }
}
