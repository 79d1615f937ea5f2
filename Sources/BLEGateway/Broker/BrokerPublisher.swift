/// What is done with a link on its queue.
package protocol BrokerPublisher {
  /// Whether the broker has accepted this client, and the link is up.
  var isConnected: Bool { get }
  /// Sends a message with QoS 1.
  @discardableResult
  func publish(_ publication: BrokerPublication) -> BrokerLink.Publishing
  /// Subscribes with QoS 1.
  func subscribe(_ filters: [String])
  /// Ends the link without a goodbye, so that the broker publishes the will, and tries again after a pause.
  func giveUp(_ reason: String)
}
