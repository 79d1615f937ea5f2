import BLESessionStore

/// The topics on which Home Assistant was told of something, in the outbox's file: what the configuration does not have any more can be taken back
/// by a later process.
struct AnnouncedTopics: Sendable {
  /// Whose a topic is.
  struct Owner: Sendable, Equatable {
    /// The name of the gateway that has announced it, which its configuration may have changed since.
    var gateway: String
    /// Empty for the gateway itself, and for sensors that are to be taken back.
    var device: String
  }

  let outbox: Outbox

  func all() throws(StoreError) -> [String: Owner] {
    try outbox.read { (database) throws(StoreError) in
      let rows = try StoreCursor<(String, Owner)>(database, "SELECT topic, gateway, device FROM announced", []) { row in
        guard let topic = row.text(0), let gateway = row.text(1), let device = row.text(2) else { return nil }
        return (topic, Owner(gateway: gateway, device: device))
      }.all()
      return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Remembers topics. Waits for the disk: they are remembered before anything is published on them.
  func add(_ topics: [String], _ owner: Owner) throws(StoreError) {
    try outbox.read { (database) throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        for topic in topics {
          try database.run(
            "INSERT OR REPLACE INTO announced(topic, gateway, device) VALUES(?, ?, ?)", .text(topic),
            .text(owner.gateway), .text(owner.device))
        }
      }
    }
  }

  func remove(_ topic: String) throws(StoreError) {
    try outbox.read { (database) throws(StoreError) in
      try database.run("DELETE FROM announced WHERE topic = ?", .text(topic))
    }
  }
}
