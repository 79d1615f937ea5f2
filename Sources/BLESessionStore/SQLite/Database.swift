import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// One connection to an SQLite file. Belongs to whoever opened it: one thread at a time.
final class Database {
  enum Access {
    /// Made where it is not there.
    case writing
    /// Nothing can be changed. What SQLite leaves beside the file is tidied up by the next writer, or by `tidiesUp`.
    case reading
    /// A file that nobody changes, on a medium that cannot be written: SQLite's own helper files are not looked for.
    case readingUnchanged
  }

  let path: String
  let handle: OpaquePointer
  /// Whether the files that reading has made beside this one are taken away with it.
  var tidiesUp = false
  let effort: Effort
  private var prepared: [SQLText: Statement] = [:]

  /// - Parameter patience: how long another program's lock is waited for.
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
    effort = Effort(path)
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(clamping: patience.milliseconds))
    effort.limit(handle)
    try distrust()
    if access != .writing { try run(script: "PRAGMA query_only = ON") }
  }

  deinit {
    prepared = [:]
    // Statements that somebody still holds keep it alive until they go.
    sqlite3_close_v2(handle)
    if tidiesUp, Self.exists(path + "-shm"), !Self.exists(path + "-journal") { Self.tidyUp(path) }
  }

  /// A file may have been made by anybody (<https://www.sqlite.org/security.html>, section 1.2): what it defines calls no functions
  /// that do things, what it says of itself cannot be written to, its pages are checked as they are read, and a row is no longer
  /// than ours can be.
  private func distrust() throws(StoreError) {
    #if canImport(CSQLite)
      // Apple's library is defensive by itself.
      sqlite3_set_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    #endif
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 4 << 20)
    try run(script: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
  }

  /// A connection that can write and is the last one takes away what is empty beside the file.
  private static func tidyUp(_ path: String) {
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

  /// Runs one or more statements that take nothing and give nothing.
  func run(script: SQLText) throws(StoreError) {
    let code = sqlite3_exec(handle, script.text, nil, nil, nil)
    if code != SQLITE_OK { throw error(code) }
  }

  /// Runs a statement to its end; kept prepared for the next time.
  func run(_ text: SQLText, _ values: SQLValue...) throws(StoreError) {
    let statement = try prepare(text)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {}
  }

  /// What the first row holds, if there is one.
  func first<Value>(_ text: SQLText, _ values: SQLValue..., read: (Row) -> Value) throws(StoreError) -> Value? {
    let statement = try prepare(text)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? read(Row(statement)) : nil
  }

  /// The number in the first row, 0 where there is none.
  func number(_ text: SQLText, _ values: SQLValue...) throws(StoreError) -> Int64 {
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
  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// All of `body` or nothing of it.
  func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try run("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      // SQLite may have rolled back by itself, where the disk is full for instance.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }
}

extension StoreError {
  /// What SQLite said, in words that say what to do.
  init(sqlite code: Int32, _ said: String?, _ path: String) {
    let reason = said ?? sqlite3_errstr(code).map { String(cString: $0) } ?? "error \(code)"
    let (kind, text): (Code, String) =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another program holds it (\(reason)): close it there, or wait")
      case SQLITE_FULL: (.full, "there is no room (\(reason)): make room on the disk")
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
        (.readOnly, "it cannot be written (\(reason)): check its permissions and those of its folder")
      case SQLITE_NOTADB: (.notADatabase, "it is no record (\(reason)): name another file")
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
