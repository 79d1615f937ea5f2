import BLESession
import Foundation

@testable import BLEGateway

/// A link, and what it has told.
final class LinkDiary: Sendable {
  let link: BrokerLink
  private let told: Guarded<[BrokerEvent]>

  init(
    _ settings: BrokerSettings, identifier: String = "diary",
    _ react: @escaping @Sendable (BrokerEvent, any BrokerPublisher) -> Void = { _, _ in }
  ) {
    let told = Guarded<[BrokerEvent]>([])
    self.told = told
    link = BrokerLink(
      settings, identifier: identifier, backOff: .init(first: .milliseconds(2), factor: 1.2, longest: .milliseconds(20))
    ) { event, publisher in
      told.with { $0.append(event) }
      react(event, publisher)
    }
    link.start()
  }

  var events: [BrokerEvent] { told.with { $0 } }
  var versions: [MQTTVersion] { events.compactMap { if case .connected(let version, _) = $0 { version } else { nil } } }
  var reasons: [String] { events.compactMap { if case .disconnected(let reason, _) = $0 { reason } else { nil } } }

  /// Waits for at most 20 s of real time.
  func until(_ condition: (LinkDiary) -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition(self) {
      if ContinuousClock.now > deadline { return false }
      await Task.yield()
    }
    return true
  }
}
