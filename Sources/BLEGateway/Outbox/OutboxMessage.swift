import Foundation

/// What a message in the outbox is, which decides what is dropped first when there is no room.
package enum OutboxKind: String, Sendable, CaseIterable {
  /// An advertisement that was heard. Dropped first, the oldest in front.
  case advertisement
  /// A value of a device.
  case value
  /// Something that happened to a device or the gateway.
  case event
  /// The answer to a command. Never dropped: there are no more than remembered commands.
  case answer
  /// How much was dropped so far. There is one at most.
  case loss
}

/// A message that is to be accepted by the outbox.
package struct OutboxDraft: Sendable {
  package var kind: OutboxKind
  package var topic: String
  /// A JSON object on one line; the idempotency key is put in front of its members. Empty: what the broker
  /// has kept on the topic is to be removed.
  package var payload: String
  package var isRetained = false
  package var correlation: Data?

  package init(_ kind: OutboxKind, topic: String, payload: String, isRetained: Bool = false, correlation: Data? = nil) {
    self.kind = kind
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
    self.correlation = correlation
  }

  /// What it counts for in the outbox.
  var octets: Int { topic.utf8.count + payload.utf8.count + (correlation?.count ?? 0) }
}

/// A message that the outbox has accepted.
package struct OutboxMessage: Sendable, Equatable {
  /// Rises with each message of the outbox, and is never used twice.
  package var sequence: Int64
  package var publication: BrokerPublication
}

/// How much an outbox holds, and what happens beyond that.
package struct OutboxLimits: Sendable, Equatable {
  /// What gives way to new values and events when there are no advertisements left to drop.
  package enum Policy: String, Sendable, CaseIterable {
    /// The oldest values and events.
    case dropOldest = "drop_oldest"
    /// The new ones.
    case refuseNewest = "refuse_newest"
  }

  package var rows = 100_000
  package var octets = 64 << 20
  package var policy = Policy.dropOldest
  /// How many messages wait in memory while the file cannot be written.
  package var backlog = 16_384

  package init() {}
}

/// What an outbox has had to drop since it was made.
package struct OutboxLosses: Sendable, Equatable {
  package var advertisements: Int64 = 0
  package var values: Int64 = 0
  package var events: Int64 = 0

  package var total: Int64 { advertisements + values + events }

  package init() {}

  mutating func add(_ kind: OutboxKind, _ count: Int64 = 1) {
    switch kind {
    case .advertisement: advertisements += count
    case .value: values += count
    case .event, .answer, .loss: events += count
    }
  }
}
