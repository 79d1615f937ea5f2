import BLESessionStore
import Foundation

/// The commands that were taken, in the outbox's file: a command is written there before it is done, and its answer together with the message that
/// carries it, so that neither the end of the process nor a second copy of the message does anything twice.
struct CommandLedger: Sendable {
  enum Entry: Equatable {
    case answered(String)
    case underWay
  }

  /// A command that is to be written.
  struct Order: Sendable, Equatable {
    var identifier: String
    var device: String
    var deadline: Date
    /// The topic that the answer goes to.
    var reply: String
    var correlation: Data?
  }

  let outbox: Outbox

  /// The most commands that are remembered.
  static let capacity: Int64 = 4_096
  /// How long after its deadline a command is remembered: so far a clock may be set back.
  static let remembrance = 3_600.0

  func entry(_ identifier: String, of device: String) throws(StoreError) -> Entry? {
    try outbox.read { (database) throws(StoreError) in
      try database.first("SELECT answer FROM command WHERE id = ?", .text(Self.key(identifier, device))) { row in
        row.text(0).map { .answered($0) } ?? .underWay
      }
    }
  }

  /// Writes a command that is not known. Returns whether there was room for it.
  func take(_ order: Order, now: Date) throws(StoreError) -> Bool {
    try outbox.read { (database) throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        try database.run(
          "DELETE FROM command WHERE deadline < ? AND answer IS NOT NULL",
          .time(now.addingTimeInterval(-Self.remembrance)))
        guard try database.number("SELECT COUNT(*) FROM command") < Self.capacity else { return false }
        try database.run(
          "INSERT INTO command(id, device, deadline, reply, correlation) VALUES(?, ?, ?, ?, ?)",
          .text(Self.key(order.identifier, order.device)), .text(order.device), .time(order.deadline),
          .text(order.reply), .octets(orNull: order.correlation))
        return true
      }
    }
  }

  /// Writes the answer, and the message with it, in one transaction.
  func answer(_ order: Order, _ answer: String) throws(StoreError) {
    let draft = OutboxDraft(.answer, topic: order.reply, payload: answer, correlation: order.correlation)
    try outbox.commit([draft]) { (database) throws(StoreError) in
      try database.run(
        "UPDATE command SET answer = ? WHERE id = ?", .text(answer), .text(Self.key(order.identifier, order.device)))
    }
  }

  /// Commands without an answer, which a process that is gone has taken.
  func abandoned() throws(StoreError) -> [Order] {
    try outbox.read { (database) throws(StoreError) in
      try StoreCursor(
        database, "SELECT id, device, deadline, reply, correlation FROM command WHERE answer IS NULL", []
      ) { row in
        guard let key = row.text(0), let device = row.text(1), let deadline = row.time(2), let reply = row.text(3),
          key.hasPrefix(device + "/")
        else { return nil }
        return Order(
          identifier: String(key.dropFirst(device.count + 1)), device: device, deadline: deadline, reply: reply,
          correlation: row.octets(4))
      }.all()
    }
  }

  /// Identifiers are those of a device: two senders of different devices need not agree.
  private static func key(_ identifier: String, _ device: String) -> String { device + "/" + identifier }
}
