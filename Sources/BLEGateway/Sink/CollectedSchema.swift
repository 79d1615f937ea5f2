import BLESessionStore

extension Schema {
  /// `BLEM` in ASCII.
  static let collected = Schema(applicationIdentifier: 0x424C_454D, migrations: [firstCollected, secondCollected])

  static let firstCollected: SQLText = """
    PRAGMA application_id = 1112294733;
    PRAGMA user_version = 1;

    -- id rises in the order of arrival. key: gateway, outbox and number; the payload is the whole message.
    CREATE TABLE message(
      id INTEGER PRIMARY KEY,
      key TEXT NOT NULL UNIQUE,
      gateway TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      device TEXT,
      event TEXT NOT NULL,
      time TEXT NOT NULL,
      topic TEXT NOT NULL,
      payload TEXT NOT NULL
    );
    CREATE INDEX message_device ON message(device, event, id);
    """

  /// Messages grow old by the clock of the machine that stores them: that of a gateway may be wrong by years.
  private static let secondCollected: SQLText = """
    PRAGMA user_version = 2;

    -- received: when it arrived, in microseconds since 1970 (UTC); the message's own time is the gateway's.
    ALTER TABLE message ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
    UPDATE message SET received = CAST(strftime('%s', 'now') AS INTEGER) * 1000000;
    CREATE INDEX message_received ON message(received);
    """
}
