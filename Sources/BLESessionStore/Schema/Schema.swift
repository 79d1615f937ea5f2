import Foundation

/// The tables of a record, and the migrations from earlier versions.
///
/// `user_version` is the number of migrations applied to a file; `application_id` identifies it as a record.
package struct Schema: Sendable {
  /// What identifies a file of this kind: `BLES` in ASCII for a record.
  let applicationIdentifier: Int64

  /// The step from each version to the next; the first creates the tables in an empty file. A published step never changes.
  var migrations: [SQLText]

  package static let current = Schema(migrations: [first])

  /// A schema whose first migration sets this identifier.
  package init(applicationIdentifier: Int64 = 0x424C_4553, migrations: [SQLText]) {
    self.applicationIdentifier = applicationIdentifier
    self.migrations = migrations
  }

  var version: Int { migrations.count }

  /// The version of a file, 0 where it is empty.
  /// - Throws: `notAStore`, `newerVersion`, or SQLite's error. Nothing is written.
  func version(of database: Database) throws(StoreError) -> Int {
    let identifier = try database.number("PRAGMA application_id")
    let version = try database.number("PRAGMA user_version")
    guard identifier == applicationIdentifier, version > 0 else {
      let isEmpty = try database.number("SELECT COUNT(*) FROM sqlite_master") == 0
      if isEmpty, identifier == 0, version == 0 { return 0 }
      throw StoreError(
        .notAStore, "it is a database of another program: name another file", file: database.path)
    }
    guard version <= Int64(migrations.count) else {
      throw StoreError(
        .newerVersion,
        "it was written by a newer version of this program (format \(version), this one knows up to \(migrations.count)): "
          + "update this program, or name another file", file: database.path)
    }
    try requireSchema(database, Int(version))
    return Int(version)
  }

  /// Refuses a file whose schema differs from that of its version: a view, trigger or index would run when the tables are used.
  private func requireSchema(_ database: Database, _ version: Int) throws(StoreError) {
    let (found, expected) = (try Self.definitions(of: database), try definitions(of: version))
    let differences = Set(found).symmetricDifference(expected).map(\.name).sorted()
    if differences.isEmpty, found.count == expected.count { return }
    let what = differences.first ?? "its tables"
    throw StoreError(
      .notAStore,
      "it was changed by another program, or made to look like a record (see \(what) in its schema): name another file",
      file: database.path)
  }

  /// The schema objects of that version.
  private func definitions(of version: Int) throws(StoreError) -> [Definition] {
    let database = try Database(":memory:", .writing, patience: .zero)
    for migration in migrations.prefix(version) { try database.run(script: migration) }
    return try Self.definitions(of: database)
  }

  /// One object of the schema.
  private struct Definition: Hashable {
    var type: String?
    var name: String
    var table: String?
    var text: String?
  }

  /// Limited: no version has that many.
  private static func definitions(of database: Database) throws(StoreError) -> [Definition] {
    try StoreCursor(database, "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 1000", []) {
      Definition(type: $0.text(0), name: $0.text(1) ?? "", table: $0.text(2), text: $0.text(3))
    }.all()
  }

  /// Migrates a file to the newest version, in one transaction: if the process ends meanwhile the file is unchanged.
  func migrate(_ database: Database) throws(StoreError) {
    if try version(of: database) == migrations.count { return }
    try database.transaction { () throws(StoreError) in
      // Read again inside of the transaction: another process may have migrated it.
      for migration in migrations.dropFirst(try version(of: database)) { try database.run(script: migration) }
    }
  }
}

extension Schema {
  static let first: SQLText = """
    PRAGMA application_id = 1112294739;
    PRAGMA user_version = 1;

    -- Times are microseconds since 1970 (UTC). Identifiers are UUIDs in capitals.
    CREATE TABLE device(
      id INTEGER PRIMARY KEY,
      identifier TEXT NOT NULL UNIQUE,
      name TEXT,
      address TEXT,
      services TEXT,
      manufacturer_data BLOB,
      first_seen INTEGER NOT NULL,
      last_seen INTEGER NOT NULL,
      -- Rises with each time that it is remembered; NULL where it is not.
      remembered INTEGER
    );
    CREATE INDEX device_last_seen ON device(last_seen);

    -- One run of a recorder. ending: NULL while it runs, 'ended', or 'cutShort' where the process died.
    CREATE TABLE session(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      title TEXT NOT NULL,
      began INTEGER NOT NULL,
      until INTEGER NOT NULL,
      ending TEXT
    );

    -- origin: 'user', 'automatic'. ending: NULL while it lasts, 'user', 'lost', 'failed', 'unobserved'.
    CREATE TABLE connection(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
      device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
      origin TEXT NOT NULL,
      began INTEGER NOT NULL,
      ready INTEGER,
      ended INTEGER,
      ending TEXT,
      error TEXT
    );
    CREATE INDEX connection_device ON connection(device, began);
    CREATE INDEX connection_session ON connection(session);
    CREATE INDEX connection_began ON connection(began);
    CREATE INDEX connection_open ON connection(id) WHERE ended IS NULL;

    -- source: 'notified', 'read', 'written'.
    CREATE TABLE value(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
      device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
      time INTEGER NOT NULL,
      service TEXT,
      characteristic TEXT NOT NULL,
      instance INTEGER NOT NULL,
      source TEXT NOT NULL,
      octets BLOB NOT NULL
    );
    CREATE INDEX value_time ON value(time);
    CREATE INDEX value_device ON value(device, time);
    CREATE INDEX value_session ON value(session);

    CREATE TABLE event(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
      device INTEGER REFERENCES device(id) ON DELETE CASCADE,
      time INTEGER NOT NULL,
      kind TEXT NOT NULL,
      detail TEXT
    );
    CREATE INDEX event_time ON event(time);
    CREATE INDEX event_device ON event(device, time);
    CREATE INDEX event_session ON event(session);

    -- source: 'connection', 'advertisement'. Strengths in dBm.
    CREATE TABLE signal(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
      device INTEGER NOT NULL REFERENCES device(id) ON DELETE CASCADE,
      time INTEGER NOT NULL,
      rssi INTEGER NOT NULL,
      smoothed REAL,
      source TEXT NOT NULL
    );
    CREATE INDEX signal_time ON signal(time);
    CREATE INDEX signal_device ON signal(device, time);
    CREATE INDEX signal_session ON signal(session);
    """
}
