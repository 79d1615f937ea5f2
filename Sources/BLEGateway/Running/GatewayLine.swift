import BLESession
import Foundation

/// The gateway's link to its broker, with what is sent on it. Its state is used on the link's queue only, but for the link itself.
///
/// `@unchecked Sendable`: `link` is behind its lock; everything else is used on the link's queue.
final class GatewayLine: @unchecked Sendable {
  private let link = Guarded<BrokerLink?>(nil)
  private var sender: OutboxSender?
  private var goodbye: (number: BrokerLink.PublicationNumber, told: () -> Void)?

  private static let patience = Duration.seconds(2)

  /// - Parameter tell: called on the link's queue, for everything but acknowledgements.
  func open(
    _ configuration: GatewayConfiguration, _ outbox: Outbox, backOff: ReconnectPolicy.BackOff,
    description: BrokerPublication, commands: [String], unsendable: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (BrokerEvent) -> Void
  ) {
    let link = BrokerLink(
      configuration.broker, identifier: "ble-gateway-" + configuration.name,
      will: Gateway.status(configuration, isOnline: false), backOff: backOff
    ) { [weak self] event, publisher in
      self?.take(event, publisher, configuration, description, commands)
      tell(event)
    }
    self.link.with { $0 = link }
    perform { line, _ in
      let sender = OutboxSender(outbox, waitsForSubscriber: configuration.broker.waitsForSubscriber) {
        [weak line] body in
        line?.perform { line, publisher in if let sender = line.sender { body(sender, publisher) } }
      }
      sender.onUnsendable = { unsendable($0.publication.topic) }
      line.sender = sender
    }
    link.start()
  }

  /// There may be something in the outbox. From any thread.
  func sendMore() { perform { line, _ in line.sender?.sendMore() } }

  private func perform(_ body: @escaping @Sendable (GatewayLine, any BrokerPublisher) -> Void) {
    link.with { $0 }?.perform { [weak self] publisher in if let self { body(self, publisher) } }
  }

  /// Publishes the last status, waits a moment for the broker's answer, and disconnects.
  func close(offline: BrokerPublication) async {
    guard let link = link.with({ $0 }) else { return }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let once = Guarded<CheckedContinuation<Void, Never>?>(continuation)
      let finish: @Sendable () -> Void = {
        once.with { continuation in
          defer { continuation = nil }
          return continuation
        }?.resume()
      }
      _ = SystemSessionClock().schedule(after: Self.patience, on: .global()) { finish() }
      perform { line, publisher in
        guard case .sent(let number) = publisher.publish(offline) else { return finish() }
        line.goodbye = (number, finish)
      }
    }
    await link.stop()
    // The outbox tells this object what it has accepted: they would keep one another.
    await link.core.value { [weak self] _ in self?.sender = nil }
    self.link.with { $0 = nil }
  }

  // MARK: On the link's queue

  private func take(
    _ event: BrokerEvent, _ publisher: any BrokerPublisher, _ configuration: GatewayConfiguration,
    _ description: BrokerPublication, _ commands: [String]
  ) {
    switch event {
    case .connected:
      publisher.subscribe(commands)
      publisher.publish(Gateway.status(configuration, isOnline: true))
      publisher.publish(description)
      sender?.linkIsUp()
    case .disconnected: sender?.linkIsDown()
    case .acknowledged(let number, let code):
      if let goodbye, goodbye.number == number { goodbye.told() }
      _ = sender?.acknowledged(number, code: code, publisher)
    case .received, .oversized: break
    }
  }
}
