import BLESessionStore
import CSQLite
import Dispatch
import Foundation

extension Fuzzer {
  /// The schema of a record that somebody else has made: the input is SQL that is run on a sound record before it is read. The
  /// reader comes to an end, and the record is as it was.
  static let record = Fuzzer(name: "record") { octets in
    Scratch.write(template, to: "record")
    for ending in ["-wal", "-shm"] { unlink(Scratch.path("record" + ending)) }
    guard execute(octets + [0]) else { return }
    guard let reader = try? StoreReader(file: URL(fileURLWithPath: Scratch.path("record"))) else { return }
    if let cursor = try? reader.devices() { drain(cursor) }
    if let cursor = try? reader.sessions() { drain(cursor) }
    if let cursor = try? reader.connections() { drain(cursor) }
    if let cursor = try? reader.values() { drain(cursor) }
    if let cursor = try? reader.events() { drain(cursor) }
    if let cursor = try? reader.signals() { drain(cursor) }
    _ = try? reader.summary()
    _ = try? reader.damages()
  } seeds: {
    [
      "DROP TABLE value; CREATE VIEW value AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
      "CREATE TRIGGER t AFTER INSERT ON session BEGIN INSERT INTO session SELECT * FROM session; END",
      "ALTER TABLE device ADD COLUMN more TEXT", "DROP TABLE event", "PRAGMA user_version = 99",
      "INSERT INTO session(title, began, until) VALUES('a', 1, 2)", "CREATE TABLE more(a)",
      "DROP TABLE device; CREATE VIRTUAL TABLE device USING fts5(identifier)",
      "UPDATE session SET title = randomblob(100)", "CREATE INDEX i ON value(time)", "PRAGMA writable_schema = ON",
    ].map { Array($0.utf8) }
  }

  /// No reader of so small a file gives more than this.
  private static func drain<Element>(_ cursor: StoreCursor<Element>) {
    var count = 0
    while let _ = try? cursor.next() {
      count += 1
      require(count < 100_000, "more rows than the file can hold")
    }
  }

  /// A sound record, as a store makes it.
  private static let template: [UInt8] = {
    let path = Scratch.path("template")
    let finished = DispatchSemaphore(value: 0)
    guard let store = try? SessionStore(file: URL(fileURLWithPath: path)) else { fatalError("no store can be made") }
    Task {
      _ = try? await store.beginSession(title: "fuzz")
      try? await store.close()
      finished.signal()
    }
    finished.wait()
    return (FileManager.default.contents(atPath: path)).map { Array($0) } ?? []
  }()

  /// Runs the attacker's SQL, for as long as a test has time for it.
  private static func execute(_ text: [UInt8]) -> Bool {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open(Scratch.path("record"), &connection) == SQLITE_OK else { return false }
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
    // Neither is of use to an attacker who makes a file: time, and other files.
    sqlite3_progress_handler(connection, 100_000, { _ in 1 }, nil)
    _ = text.withUnsafeBufferPointer { text in
      text.withMemoryRebound(to: CChar.self) { sqlite3_exec(connection, $0.baseAddress, nil, nil, nil) }
    }
    return true
  }
}
