import BLESession
import Foundation

/// The gateway's link to its broker, with what is sent on it. Its state is used on the link's queue only, but for the link itself.
///
/// `@unchecked Sendable`: `link` is behind its lock; everything else is used on the link's queue.
final class GatewayLine: @unchecked Sendable {
  private let link = Guarded<BrokerLink?>(nil)
  private(set) var sender: OutboxSender?
  private var announcer: HomeAssistantAnnouncer?
  /// What is published and subscribed to at each connection.
  private var description: BrokerPublication?
  private var commands: [String] = []
  /// What is called with the broker's answer to a message that is not one of the outbox.
  private var answers: [BrokerLink.PublicationNumber: (Int32?) -> Void] = [:]

  private static let patience = Duration.seconds(2)

  /// - Parameter tell: called on the link's queue, for everything but acknowledgements.
  func open(
    _ configuration: GatewayConfiguration, _ outbox: Outbox, backOff: ReconnectPolicy.BackOff,
    description: BrokerPublication, commands: [String], announcing: HomeAssistantAnnouncer.Plan? = nil,
    unsendable: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (BrokerEvent) -> Void
  ) {
    let link = BrokerLink(
      configuration.broker, identifier: "ble-gateway-" + configuration.name,
      will: Gateway.status(configuration, isOnline: false), backOff: backOff
    ) { [weak self] event, publisher in
      self?.take(event, publisher, configuration)
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
      (line.description, line.commands) = (description, commands)
      line.announcer = announcing.map { HomeAssistantAnnouncer($0) }
    }
    link.start()
  }

  /// The gateway keeps other devices from now on, and takes commands on other topics. From any thread.
  /// - Parameter former: the topics until now.
  func change(
    _ description: BrokerPublication, commands: [String], instead former: [String],
    _ announcing: HomeAssistantAnnouncer.Plan?
  ) {
    perform { line, publisher in
      (line.description, line.commands) = (description, commands)
      // The former announcer may have announced something since the reload began.
      line.announcer = announcing.map { HomeAssistantAnnouncer($0.upToDate()) }
      guard publisher.isConnected else { return }
      publisher.unsubscribe(former.filter { !commands.contains($0) })
      publisher.subscribe(commands.filter { !former.contains($0) })
      publisher.publish(description)
      line.announcer?.linkIsUp(publisher)
    }
  }

  /// There may be something in the outbox. From any thread.
  func sendMore() { perform { line, _ in line.sender?.sendMore() } }

  /// How many publications were sent.
  func sent() async -> BrokerLink.PublicationNumber {
    await link.with { $0 }?.core.value { $0.lastNumber } ?? 0
  }

  /// Calls `body` when the link's queue comes to it, and at once where there is no link.
  func pass(_ body: @escaping @Sendable () -> Void) {
    guard let link = link.with({ $0 }) else { return body() }
    link.perform { _ in body() }
  }

  /// Publishes a message that is not kept: without a link nothing is done. From any thread.
  /// - Parameter answered: called on the link's queue with MQTT 5's reason code of the broker's answer; `nil`: there is no link, or it
  ///   has ended.
  func publish(_ message: BrokerPublication, answered: @escaping @Sendable (Int32?) -> Void) {
    guard let link = link.with({ $0 }) else { return answered(nil) }
    link.perform { [weak self] publisher in
      guard let self, case .sent(let number) = publisher.publish(message) else { return answered(nil) }
      answers[number] = answered
    }
  }

  /// Subscribes while there is a link, with QoS 0. From any thread.
  func follow(_ topic: String) { perform { _, publisher in publisher.subscribe([topic], .whileConnected) } }
  func unfollow(_ topic: String) { perform { _, publisher in publisher.unsubscribe([topic]) } }

  /// What happens to a device, for Home Assistant. From any thread.
  func announce(_ news: HomeAssistantAnnouncer.News) {
    perform { line, publisher in line.announcer?.take(news, publisher) }
  }

  func perform(_ body: @escaping @Sendable (GatewayLine, any BrokerPublisher) -> Void) {
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
      publish(offline) { _ in finish() }
    }
    await link.stop()
    // The outbox tells this object what it has accepted: they would keep one another.
    await link.core.value { [weak self] _ in
      self?.sender = nil
      self?.announcer = nil
    }
    self.link.with { $0 = nil }
  }

  // MARK: On the link's queue

  private func take(
    _ event: BrokerEvent, _ publisher: any BrokerPublisher, _ configuration: GatewayConfiguration
  ) {
    switch event {
    case .connected:
      publisher.subscribe(commands)
      publisher.publish(Gateway.status(configuration, isOnline: true))
      if let description { publisher.publish(description) }
      sender?.linkIsUp()
    case .disconnected:
      let unanswered = answers
      answers = [:]
      for answer in unanswered.values { answer(nil) }
      sender?.linkIsDown()
    case .acknowledged(let number, let code):
      answers.removeValue(forKey: number)?(code)
      _ = sender?.acknowledged(number, code: code, publisher)
    case .received, .oversized: break
    }
    announcer?.take(event, publisher)
  }
}
