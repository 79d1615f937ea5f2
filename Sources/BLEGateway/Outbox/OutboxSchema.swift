import BLESessionStore

extension Schema {
  /// The tables of an outbox. `BLEO` in ASCII.
  static let outbox = Schema(applicationIdentifier: 0x424C_454F, migrations: [firstOutbox, withAnnouncements])

  private static let firstOutbox: SQLText = """
    PRAGMA application_id = 1112294735;
    PRAGMA user_version = 1;

    -- One row: by epoch an outbox that was deleted and made again has other keys. The counts are of what was dropped.
    CREATE TABLE outbox(
      epoch TEXT NOT NULL,
      advertisements INTEGER NOT NULL,
      "values" INTEGER NOT NULL,
      events INTEGER NOT NULL
    );

    -- AUTOINCREMENT: no number is ever used twice, also when the last row is deleted.
    CREATE TABLE message(
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      topic TEXT NOT NULL,
      payload TEXT NOT NULL,
      retained INTEGER NOT NULL,
      correlation BLOB,
      octets INTEGER NOT NULL
    );
    CREATE INDEX message_kind ON message(kind, sequence);

    -- Times are microseconds since 1970 (UTC). answer: NULL while the command is under way.
    CREATE TABLE command(
      id TEXT PRIMARY KEY,
      device TEXT NOT NULL,
      deadline INTEGER NOT NULL,
      reply TEXT NOT NULL,
      correlation BLOB,
      answer TEXT
    );
    CREATE INDEX command_deadline ON command(deadline);
    """

  private static let withAnnouncements: SQLText = """
    PRAGMA user_version = 2;

    -- What Home Assistant was told of. device: empty for the gateway itself.
    CREATE TABLE announced(
      topic TEXT PRIMARY KEY,
      gateway TEXT NOT NULL,
      device TEXT NOT NULL
    );
    """
}
