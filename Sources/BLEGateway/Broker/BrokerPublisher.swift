/// What is done with a link on its queue.
package protocol BrokerPublisher {
  /// Whether the broker has accepted this client, and the link is up.
  var isConnected: Bool { get }
  /// Sends a message with QoS 1.
  @discardableResult
  func publish(_ publication: BrokerPublication) -> BrokerLink.Publishing
  /// Subscribes.
  func subscribe(_ filters: [String], _ delivery: BrokerDelivery)
  /// Ends subscriptions, in the order of the calls.
  func unsubscribe(_ filters: [String])
  /// Ends the link without a goodbye, so that the broker publishes the will, and tries again after a pause.
  func giveUp(_ reason: String)
}

/// How a broker delivers what was subscribed to.
package enum BrokerDelivery: Int32, Sendable {
  /// QoS 0: nothing is kept for a client that is away.
  case whileConnected = 0
  /// QoS 1: until the client has acknowledged it.
  case acknowledged = 1
}

extension BrokerPublisher {
  /// Subscribes with QoS 1.
  func subscribe(_ filters: [String]) { subscribe(filters, .acknowledged) }
}
