import BLESession
import BLESessionStore
import Foundation

/// Messages of gateways in SQLite, each once. Used by one thread at a time.
package final class CollectedFile {
  /// A message as it is stored.
  package struct Entry: Sendable, Equatable {
    package var key: String
    package var gateway: String
    package var sequence: Int64
    package var device: String?
    package var event: String
    package var time: String
    package var topic: String
    package var payload: Data

    /// `nil` for a message that is none of a gateway's outbox.
    init?(_ message: BrokerMessage) {
      guard message.payload.count <= Self.longest,
        let object = try? JSONSerialization.jsonObject(with: message.payload) as? [String: Any],
        let key = object["key"] as? String, let event = object["event"] as? String, let time = object["time"] as? String
      else { return nil }
      let parts = key.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 3, GatewayInstance.isName(String(parts[0])), GatewayInstance.isName(String(parts[1])),
        let sequence = Int64(parts[2]), sequence > 0, event.utf8.count <= 64, time.utf8.count <= 64
      else { return nil }
      self.key = key
      gateway = String(parts[0])
      self.sequence = sequence
      device = (object["device"] as? String).map { String($0.prefix(64)) }
      self.event = event
      self.time = time
      topic = message.topic
      payload = message.payload
    }

    private static let longest = 65_536
  }

  private let database: Database
  private let lock: WriterLock

  /// Opens a file, which is created where it does not exist.
  package init(_ path: String) throws(StoreError) {
    let configuration = StoreConfiguration(patience: .seconds(2))
    try Database.refuseForeign(path, .collected, patience: configuration.patience)
    lock = try WriterLock(for: path)
    database = try Database.openForWriting(path, configuration, schema: .collected)
  }

  /// Stores messages in one transaction. Returns how many were new.
  package func store(_ entries: [Entry]) throws(StoreError) -> Int {
    try database.transaction { () throws(StoreError) in
      var count = 0
      for entry in entries {
        try database.run(
          """
          INSERT OR IGNORE INTO message(key, gateway, sequence, device, event, time, topic, payload)
          VALUES(?, ?, ?, ?, ?, ?, ?, ?)
          """, .text(entry.key), .text(entry.gateway), .integer(entry.sequence), .text(orNull: entry.device),
          .text(entry.event), .text(entry.time), .text(entry.topic),
          .text(String(decoding: entry.payload, as: UTF8.self)))
        count += database.changes
      }
      return count
    }
  }
}

extension Schema {
  /// `BLEM` in ASCII.
  static let collected = Schema(applicationIdentifier: 0x424C_454D, migrations: [firstCollected])

  private static let firstCollected: SQLText = """
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
}
