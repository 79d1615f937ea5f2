import BLESession
import BLESessionStore
import Foundation

/// Stores what gateways publish, each message once: a message is acknowledged only when it is committed, and one that comes
/// again has the same key.
package final class Collector: Sendable {
  package enum Report: Sendable {
    case connected(MQTTVersion)
    case disconnected(reason: String, retryAfter: Duration)
    /// So many new messages were stored.
    case stored(Int)
    /// Old messages were deleted.
    case expired(CollectedExpiry)
    /// Messages could not be stored. The link is given up, so that the broker sends them again.
    case failed(StoreError)
  }

  private let link: BrokerLink

  /// Opens the file; does nothing else yet.
  /// - Parameters:
  ///   - prefix: of the gateways' topics.
  ///   - identifier: the name under which the broker keeps messages for it; another collector with it ends this one's link.
  ///   - retention: the age and the size in octets beyond which the oldest messages are deleted.
  package init(
    _ settings: BrokerSettings, prefix: String, identifier: String, file: String, retention: Retention = Retention(),
    now: @escaping @Sendable () -> Date = { Date() },
    backOff: ReconnectPolicy.BackOff = .init(first: .milliseconds(500), longest: .seconds(30), jitter: 0.5),
    report: @escaping @Sendable (Report) -> Void = { _ in }
  ) throws(StoreError) {
    let storage = CollectorStorage(try CollectedFile(file, retention))
    var settings = settings
    // Messages that arrive while it is away wait with the broker for so long.
    settings.sessionTime = 7 * 86_400
    link = BrokerLink(settings, identifier: identifier, backOff: backOff) { event, publisher in
      switch event {
      case .connected(let version, _):
        publisher.subscribe([
          "\(prefix)/+/event", "\(prefix)/+/device/#", "\(prefix)/+/presence/+", "\(prefix)/+/reply/#",
        ])
        report(.connected(version))
      case .disconnected(let reason, let pause): report(.disconnected(reason: reason, retryAfter: pause))
      case .received(let messages):
        do throws(StoreError) {
          let count = try storage.file.store(messages.compactMap { CollectedFile.Entry($0) }, at: now())
          if count > 0 { report(.stored(count)) }
          let expired = try storage.file.expire(stored: count, at: now())
          if expired != CollectedExpiry() { report(.expired(expired)) }
        } catch {
          report(.failed(error))
          publisher.giveUp("messages cannot be stored")
        }
      case .acknowledged, .oversized: break
      }
    }
  }

  package func start() { link.start() }
  package func stop() async { await link.stop() }
}

/// `@unchecked Sendable`: used on the link's queue only.
private final class CollectorStorage: @unchecked Sendable {
  let file: CollectedFile
  init(_ file: CollectedFile) { self.file = file }
}
