import BLESession
import Foundation

/// A link to a broker that is brought up again whenever it ends, with pauses that grow and differ from those of other gateways.
///
/// Nothing is kept across connections but the broker's own session: what was published and not acknowledged is forgotten here, and is published
/// again by the program that has it.
package final class BrokerLink: Sendable {
  /// Counts publications over all connections.
  package typealias PublicationNumber = Int64

  /// What has become of a message that was to be sent.
  package enum Publishing: Sendable, Equatable {
    /// It is on its way, and will be acknowledged with this number.
    case sent(PublicationNumber)
    /// There is no link at the moment.
    case notConnected
    /// It is longer than the broker takes, or its topic cannot be one.
    case unsendable
  }

  let core: Confined<BrokerLinkCore>

  /// - Parameters:
  ///   - identifier: the name under which the broker knows this client; another client with it ends this one's link.
  ///   - will: what the broker publishes when the link breaks.
  ///   - backOff: the pauses between attempts.
  ///   - tell: called on the link's queue, with what can be done there. Has to return quickly.
  package init(
    _ settings: BrokerSettings, identifier: String, will: BrokerPublication? = nil,
    backOff: ReconnectPolicy.BackOff = .init(first: .milliseconds(500), longest: .seconds(30), jitter: 0.5),
    clock: any SessionClock = SystemSessionClock(), tell: @escaping @Sendable (BrokerEvent, any BrokerPublisher) -> Void
  ) {
    let queue = DispatchQueue(label: "BLEGateway.broker", qos: .utility)
    core = Confined(queue: queue, clock: clock) {
      BrokerLinkCore(
        settings, identifier: identifier, will: will, backOff: backOff, clock: clock, queue: queue, tell: tell)
    }
  }

  /// Begins to connect.
  package func start() { core.perform { $0.start() } }

  /// Disconnects for good, and returns when the broker was told.
  package func stop() async { await core.value { $0.stop() } }

  /// Runs on the link's queue, for callers that publish.
  package func perform(_ body: @escaping @Sendable (any BrokerPublisher) -> Void) { core.perform { body($0) } }
}

/// The state of a link, used on its queue only.
final class BrokerLinkCore: BrokerPublisher {
  private let settings: BrokerSettings
  private let identifier: String
  private let will: BrokerPublication?
  private let backOff: ReconnectPolicy.BackOff
  private let clock: any SessionClock
  private let queue: DispatchQueue
  private let tell: (BrokerEvent, any BrokerPublisher) -> Void
  private var client: BrokerClient?
  private var retry: (any SessionTimer)?
  private var failures = 0
  private var connectedAt: Duration?
  private var version: MQTTVersion
  private var isStopped = true
  private(set) var lastNumber: BrokerLink.PublicationNumber = 0
  /// Numbers of publications by the numbers that libmosquitto has given them.
  private var inFlight: [Int32: BrokerLink.PublicationNumber] = [:]
  private var isFlushing = false

  init(
    _ settings: BrokerSettings, identifier: String, will: BrokerPublication?, backOff: ReconnectPolicy.BackOff,
    clock: any SessionClock, queue: DispatchQueue, tell: @escaping @Sendable (BrokerEvent, any BrokerPublisher) -> Void
  ) {
    self.settings = settings
    self.identifier = identifier
    self.will = will
    var backOff = backOff
    if let longest = settings.longestPause { backOff.longest = longest }
    self.backOff = backOff
    self.clock = clock
    self.queue = queue
    self.tell = tell
    version = settings.version ?? .version5
  }

  var isConnected: Bool { client?.isAccepted ?? false }

  func start() {
    guard isStopped else { return }
    isStopped = false
    connect()
  }

  func stop() {
    isStopped = true
    retry?.cancel()
    retry = nil
    client?.disconnect()
    client = nil
    inFlight = [:]
  }

  private func connect() {
    retry = nil
    guard !isStopped, client == nil else { return }
    do throws(BrokerEnd) {
      let client = try BrokerClient(settings, version, identifier: identifier, on: queue)
      self.client = client
      client.tell = { [weak self, weak client] happening in
        guard let self, let client, client === self.client else { return }
        take(happening)
      }
      try client.connect(settings, will: will)
    } catch {
      ended(error)
    }
  }

  private func take(_ happening: BrokerClient.Happening) {
    switch happening {
    case .accepted(let isSessionPresent):
      connectedAt = clock.now
      tell(.connected(version, isSessionPresent: isSessionPresent), self)
    case .acknowledged(let number, let code):
      guard let publication = inFlight.removeValue(forKey: number) else { return }
      tell(.acknowledged(publication, code: code), self)
    case .received(let messages): tell(.received(messages), self)
    case .oversized: tell(.oversized, self)
    case .ended(let reason): ended(reason)
    }
  }

  private func ended(_ end: BrokerEnd) {
    let wasAccepted = client?.isAccepted ?? false
    // Released by its own callback otherwise.
    let old = client
    client = nil
    _ = clock.call(after: .zero, on: queue) { withExtendedLifetime(old) {} }
    inFlight = [:]
    // A link that did not last counts as a failure, so that a broker that closes at once is not asked in a loop.
    if let connectedAt, clock.now - connectedAt > backOff.longest { failures = 0 }
    connectedAt = nil
    failures += 1
    if settings.version == nil, !wasAccepted { changeVersion(end) }
    guard !isStopped else { return }
    let pause = backOff.pause(afterFailures: failures, chance: .random(in: 0...1))
    retry = clock.call(after: pause, on: queue) { [weak self] in self?.connect() }
    tell(.disconnected(reason: end.reason, retryAfter: pause), self)
  }

  /// A broker that does not know MQTT 5 says so, or closes the link.
  private func changeVersion(_ end: BrokerEnd) {
    if end.isVersionUnknown { return version = .version311 }
    if end == BrokerEnd(library: BrokerEnd.lost) { version = version == .version5 ? .version311 : .version5 }
  }

  // MARK: BrokerPublisher

  func publish(_ publication: BrokerPublication) -> BrokerLink.Publishing {
    guard let client, client.isAccepted else { return .notConnected }
    do throws(BrokerEnd) {
      let number = try client.publish(publication)
      lastNumber += 1
      inFlight[number] = lastNumber
      flushSoon()
      return .sent(lastNumber)
    } catch {
      return error.isAboutMessage ? .unsendable : .notConnected
    }
  }

  func subscribe(_ filters: [String], _ delivery: BrokerDelivery) {
    for filter in filters { try? client?.subscribe(filter, delivery) }
    flushSoon()
  }

  func unsubscribe(_ filters: [String]) {
    for filter in filters { try? client?.unsubscribe(filter) }
    flushSoon()
  }

  func giveUp(_ reason: String) {
    guard let client else { return }
    client.breakOff()
    ended(.failed(reason))
  }

  /// Once for all that is published in one go.
  private func flushSoon() {
    if isFlushing { return }
    isFlushing = true
    _ = clock.call(after: .zero, on: queue) { [weak self] in
      self?.isFlushing = false
      self?.client?.flush()
    }
  }
}
