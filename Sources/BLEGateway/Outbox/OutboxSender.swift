import BLESession
import Dispatch

/// Sends what is in the outbox, in the order of its acceptance, while the link is up. Used on the link's queue only.
///
/// A link that ends leaves unknown what the broker has: everything that it has not acknowledged is sent again, with the same key. So is what it
/// acknowledged just before: a broker acknowledges a message before it writes it to its disk, and may be killed in between.
final class OutboxSender {
  private let outbox: Outbox
  /// Runs on the link's queue.
  private let perform: (@escaping @Sendable (OutboxSender, any BrokerPublisher) -> Void) -> Void
  /// Called for a message that the broker does not take, with the reason.
  var onUnsendable: ((OutboxMessage) -> Void)?
  /// The newest message that was sent on this link.
  private var sent: Int64 = 0
  private var waiting: [BrokerLink.PublicationNumber: OutboxMessage] = [:]
  /// What was acknowledged in the present interval of `settling`, and in the one before: that is deleted when the present one ends.
  private var acknowledged: (now: [Int64], before: [Int64]) = ([], [])
  private var isSettling = false
  /// Counts links, so that what was read from the file for an earlier one is not sent.
  private var link = 0
  private var isUp = false
  private var isReading = false
  private var isMore = false

  private static let mostWaiting = 128
  private static let batch = 64
  /// An acknowledgement counts when the link has outlived it by this, and twice this at the most.
  private static let settling = Duration.milliseconds(500)

  /// MQTT 5's reason code for a message that was accepted and handed to no client.
  private static let noSubscribers: Int32 = 16
  private let waitsForSubscriber: Bool

  init(
    _ outbox: Outbox, waitsForSubscriber: Bool,
    perform: @escaping (@escaping @Sendable (OutboxSender, any BrokerPublisher) -> Void) -> Void
  ) {
    self.outbox = outbox
    self.waitsForSubscriber = waitsForSubscriber
    self.perform = perform
  }

  /// Whether the link is down, or the broker has acknowledged all that was read from the file.
  var isAtRest: Bool { !isUp || !isReading && waiting.isEmpty }

  func linkIsUp() {
    (isUp, sent, waiting) = (true, 0, [:])
    link += 1
    isReading = false
    sendMore()
  }

  func linkIsDown() {
    (isUp, waiting, acknowledged) = (false, [:], ([], []))
    link += 1
  }

  /// There may be something to send.
  func sendMore() {
    guard isUp, waiting.count <= Self.mostWaiting - Self.batch else { return }
    guard !isReading else { return isMore = true }
    (isReading, isMore) = (true, false)
    let link = link
    let perform = SendablePerform(body: perform)
    outbox.messages(after: sent, limit: Self.batch) { messages in
      perform.body { sender, publisher in sender.send(messages, link, publisher) }
    }
  }

  private func send(_ messages: [OutboxMessage], _ link: Int, _ publisher: any BrokerPublisher) {
    guard link == self.link, isUp else { return }
    isReading = false
    for message in messages {
      switch publisher.publish(message.publication) {
      case .sent(let number): waiting[number] = message
      case .notConnected: return
      case .unsendable:
        // It would stand in the way of all others for ever.
        outbox.deliver([message.sequence])
        onUnsendable?(message)
      }
      sent = message.sequence
    }
    if messages.count == Self.batch || isMore { sendMore() }
  }

  /// Returns whether the publication was one of the outbox.
  func acknowledged(_ number: BrokerLink.PublicationNumber, code: Int32, _ publisher: any BrokerPublisher) -> Bool {
    guard let message = waiting.removeValue(forKey: number) else { return false }
    guard code < 128 else {
      // It stays in the outbox: the broker's owner may allow it.
      publisher.giveUp("it refuses messages on the topic \(message.publication.topic) (code \(code)): check its rights")
      return true
    }
    if code == Self.noSubscribers, waitsForSubscriber {
      publisher.giveUp("nothing has subscribed to \(message.publication.topic) yet")
      return true
    }
    acknowledged.now.append(message.sequence)
    settle()
    sendMore()
    return true
  }

  private func settle() {
    guard !isSettling else { return }
    isSettling = true
    let perform = SendablePerform(body: perform)
    _ = SystemSessionClock().schedule(after: Self.settling, on: .global()) {
      perform.body { sender, _ in
        sender.isSettling = false
        sender.endInterval()
      }
    }
  }

  private func endInterval() {
    if !acknowledged.before.isEmpty { outbox.deliver(acknowledged.before) }
    acknowledged = ([], acknowledged.now)
    if !acknowledged.before.isEmpty { settle() }
  }
}

/// `@unchecked Sendable`: `body` only hands work to the link's queue, which any thread may do.
private struct SendablePerform: @unchecked Sendable {
  let body: (@escaping @Sendable (OutboxSender, any BrokerPublisher) -> Void) -> Void
}
