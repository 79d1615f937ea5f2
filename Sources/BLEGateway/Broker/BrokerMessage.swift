import Foundation

/// A message that the broker has delivered.
package struct BrokerMessage: Sendable, Equatable {
  package var topic: String
  package var payload: Data
  /// Whether the broker had kept it from before the subscription.
  package var isRetained = false
  /// MQTT 5: where an answer is expected.
  package var responseTopic: String?
  /// MQTT 5: what an answer has to repeat.
  package var correlation: Data?
  /// MQTT 5: in seconds, what is left of the time that its sender has given it.
  package var expiry: UInt32?
  /// MQTT 5: the first user property `key`.
  package var key: String?

  package init(topic: String, payload: Data) {
    self.topic = topic
    self.payload = payload
  }
}

/// A message for the broker.
package struct BrokerPublication: Sendable, Equatable {
  package var topic: String
  package var payload: Data
  package var isRetained = false
  /// MQTT 5: the user property `key`, which is the same each time that the message is sent.
  package var key: String?
  /// MQTT 5: what the question had with it.
  package var correlation: Data?

  package init(topic: String, payload: Data, isRetained: Bool = false, key: String? = nil, correlation: Data? = nil) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
    self.key = key
    self.correlation = correlation
  }
}

/// The versions of MQTT that are spoken.
package enum MQTTVersion: String, Sendable, CaseIterable {
  case version5 = "5"
  case version311 = "3.1.1"
}

/// What a link tells, on its queue.
package enum BrokerEvent: Sendable {
  /// The broker has accepted this client.
  case connected(MQTTVersion, isSessionPresent: Bool)
  /// The link has ended, or did not come up; `reason` continues a sentence. It is tried again after this time.
  case disconnected(reason: String, retryAfter: Duration)
  /// The broker has answered a publication; `code` is MQTT 5's reason code, below 128 for accepted.
  case acknowledged(BrokerLink.PublicationNumber, code: Int32)
  /// Messages in the order of arrival. The broker is answered only when the call has returned, so what is stored in it is not lost.
  case received([BrokerMessage])
  /// A message was longer than `largestMessage`, and the link was closed because of it.
  case oversized
}
