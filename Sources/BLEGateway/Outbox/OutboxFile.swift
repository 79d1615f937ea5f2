import BLESession
import BLESessionStore
import Foundation

/// The file of an outbox. Used on its owner's queue only.
final class OutboxFile {
  let database: Database
  let epoch: String
  private let gateway: String
  private let limits: OutboxLimits
  private let lock: WriterLock
  /// What is in the file, as of the last commit.
  private(set) var rows: Int64
  private(set) var octets: Int64
  private(set) var losses = OutboxLosses()

  init(_ path: String, gateway: String, _ limits: OutboxLimits) throws(StoreError) {
    let configuration = StoreConfiguration(patience: .seconds(2))
    try Database.refuseForeign(path, .outbox, patience: configuration.patience)
    lock = try WriterLock(for: path)
    database = try Database.openForWriting(path, configuration, schema: .outbox)
    self.gateway = gateway
    self.limits = limits
    let made = String(UInt64.random(in: .min ... .max), radix: 16)
    try database.run(
      """
      INSERT INTO outbox(epoch, advertisements, "values", events)
      SELECT ?, 0, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM outbox)
      """, .text(made))
    let state = try database.first("SELECT epoch, advertisements, \"values\", events FROM outbox LIMIT 1") { row in
      var losses = OutboxLosses()
      losses.advertisements = row.integer(1) ?? 0
      losses.values = row.integer(2) ?? 0
      losses.events = row.integer(3) ?? 0
      return (row.text(0) ?? made, losses)
    }
    (epoch, losses) = state ?? (made, OutboxLosses())
    rows = try database.number("SELECT COUNT(*) FROM message")
    octets = try database.number("SELECT coalesce(sum(octets), 0) FROM message")
  }

  /// The messages behind `sequence`, the oldest first.
  func messages(after sequence: Int64, limit: Int) throws(StoreError) -> [OutboxMessage] {
    try StoreCursor(
      database,
      """
      SELECT sequence, topic, payload, retained, correlation FROM message WHERE sequence > ? ORDER BY sequence LIMIT ?
      """, [.integer(sequence), .integer(Int64(limit))]
    ) { [gateway, epoch] row in
      guard let sequence = row.integer(0), let topic = row.text(1), let payload = row.text(2) else { return nil }
      let key = "\(gateway)/\(epoch)/\(sequence)"
      // An empty message has the broker forget what it has kept on the topic.
      let keyed =
        payload.isEmpty ? "" : "{\"key\":\"\(key)\"" + (payload == "{}" ? "}" : "," + payload.dropFirst())
      let publication = BrokerPublication(
        topic: topic, payload: Data(keyed.utf8), isRetained: row.integer(3) == 1, key: key,
        correlation: row.octets(4))
      return OutboxMessage(sequence: sequence, publication: publication)
    }.all()
  }

  func contains(_ sequence: Int64) throws(StoreError) -> Bool {
    try database.first("SELECT 1 FROM message WHERE sequence = ?", .integer(sequence)) { _ in true } ?? false
  }

  /// The number of the newest value on a topic that begins with this; `nil` inside for none.
  func newestValue(on topics: String) throws(StoreError) -> Int64? {
    let found = try database.first(
      """
      SELECT sequence FROM message WHERE kind = 'value' AND substr(topic, 1, length(?1)) = ?1
      ORDER BY sequence DESC LIMIT 1
      """, .text(topics)
    ) { $0.integer(0) }
    return found ?? nil
  }

  /// Accepts messages, and deletes those that the broker has, in one transaction. What is beyond the limits gives way.
  /// - Parameter refused: what was dropped before it came here.
  /// - Returns: what had to be dropped.
  @discardableResult
  func exchange(
    accept drafts: [OutboxDraft], deliver delivered: [Int64], refused: OutboxLosses = OutboxLosses(),
    _ more: (Database) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> OutboxLosses {
    var change = Change(rows: rows, octets: octets, losses: refused)
    try database.transaction { () throws(StoreError) in
      for sequence in delivered { try delete(sequence, &change) }
      for draft in drafts { try accept(draft, &change) }
      if change.losses.total > 0 { try tell(&change) }
      try more(database)
    }
    (rows, octets) = (change.rows, change.octets)
    losses.advertisements += change.losses.advertisements
    losses.values += change.losses.values
    losses.events += change.losses.events
    return change.losses
  }

  /// What a transaction changes once it is committed.
  private struct Change {
    var rows: Int64
    var octets: Int64
    var losses: OutboxLosses
  }

  private func accept(_ draft: OutboxDraft, _ change: inout Change) throws(StoreError) {
    let size = Int64(draft.octets)
    var isOver: Bool { change.rows + 1 > Int64(limits.rows) || change.octets + size > Int64(limits.octets) }
    if draft.kind != .answer, draft.kind != .loss {
      while isOver, try dropOldest(.advertisement, &change) {}
      if isOver, draft.kind == .advertisement || limits.policy == .refuseNewest || size > Int64(limits.octets) {
        return change.losses.add(draft.kind)
      }
      while isOver {
        if try dropOldest(.value, &change) { continue }
        guard try dropOldest(.event, &change) else { return change.losses.add(draft.kind) }
      }
    }
    try database.run(
      "INSERT INTO message(kind, topic, payload, retained, correlation, octets) VALUES(?, ?, ?, ?, ?, ?)",
      .text(draft.kind.rawValue), .text(draft.topic), .text(draft.payload), .integer(draft.isRetained ? 1 : 0),
      .octets(orNull: draft.correlation), .integer(size))
    change.rows += 1
    change.octets += size
  }

  /// Returns whether there was one.
  private func dropOldest(_ kind: OutboxKind, _ change: inout Change) throws(StoreError) -> Bool {
    let oldest = try database.first(
      "SELECT sequence FROM message WHERE kind = ? ORDER BY sequence LIMIT 1", .text(kind.rawValue)
    ) { $0.integer(0) }
    guard let sequence = oldest ?? nil else { return false }
    try delete(sequence, &change)
    change.losses.add(kind)
    return true
  }

  private func delete(_ sequence: Int64, _ change: inout Change) throws(StoreError) {
    let size = try database.first("SELECT octets FROM message WHERE sequence = ?", .integer(sequence)) { $0.integer(0) }
    guard let size = size ?? nil else { return }
    try database.run("DELETE FROM message WHERE sequence = ?", .integer(sequence))
    change.rows -= 1
    change.octets -= size
  }

  /// Counts what was dropped, and says so in one message, which takes the place of an earlier one that is still here.
  private func tell(_ change: inout Change) throws(StoreError) {
    try database.run(
      "UPDATE outbox SET advertisements = advertisements + ?, \"values\" = \"values\" + ?, events = events + ?",
      .integer(change.losses.advertisements), .integer(change.losses.values), .integer(change.losses.events))
    let earlier = try database.first("SELECT sequence FROM message WHERE kind = 'loss' LIMIT 1") { $0.integer(0) }
    if let sequence = earlier ?? nil { try delete(sequence, &change) }
    var sum = losses
    sum.advertisements += change.losses.advertisements
    sum.values += change.losses.values
    sum.events += change.losses.events
    try accept(lossDraft(sum), &change)
  }

  /// Makes the message about losses.
  var lossDraft: (OutboxLosses) -> OutboxDraft = { losses in
    OutboxDraft(.loss, topic: "losses", payload: "{\"values\":\(losses.values)}")
  }
}
