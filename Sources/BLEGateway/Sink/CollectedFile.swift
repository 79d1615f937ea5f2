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
    package init?(_ message: BrokerMessage) {
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
  private var housekeeper: CollectedHousekeeper

  /// Opens a file, which is created where it does not exist.
  /// - Parameter retention: the age and the size in octets beyond which the oldest messages are deleted.
  package init(_ path: String, _ retention: Retention = Retention()) throws(StoreError) {
    housekeeper = CollectedHousekeeper(retention)
    let configuration = StoreConfiguration(patience: .seconds(2))
    try Database.refuseForeign(path, .collected, patience: configuration.patience)
    lock = try WriterLock(for: path)
    database = try Database.openForWriting(path, configuration, schema: .collected)
  }

  /// Stores messages in one transaction. Returns how many were new.
  package func store(_ entries: [Entry], at now: Date) throws(StoreError) -> Int {
    try database.transaction { () throws(StoreError) in
      var count = 0
      for entry in entries {
        try database.run(
          """
          INSERT OR IGNORE INTO message(key, gateway, sequence, device, event, time, topic, payload, received)
          VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
          """, .text(entry.key), .text(entry.gateway), .integer(entry.sequence), .text(orNull: entry.device),
          .text(entry.event), .text(entry.time), .text(entry.topic),
          .text(String(decoding: entry.payload, as: UTF8.self)), .time(now))
        count += database.changes
      }
      return count
    }
  }

  /// Deletes what is beyond the limits, when that is due. Returns what was deleted.
  package func expire(stored count: Int, at now: Date) throws(StoreError) -> CollectedExpiry {
    try housekeeper.expire(database, stored: count, at: now)
  }
}
