import BLESession
import Foundation

/// Follows what the gateways of a broker say of themselves and of their devices. It publishes nothing.
package final class FleetBoard: Sendable {
  fileprivate struct State {
    var table: FleetTable
    var link: FleetLink
    var isLinkChanged = true
  }

  private let link: BrokerLink
  private let state: Guarded<State>
  private let clock: any SessionClock
  private let now: @Sendable () -> Date

  /// Does nothing yet.
  package init(
    _ settings: FleetSettings, clock: any SessionClock = SystemSessionClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    backOff: ReconnectPolicy.BackOff = .init(first: .milliseconds(500), longest: .seconds(30), jitter: 0.5)
  ) {
    var broker = settings.broker
    // Nothing is to wait for it at the broker: what is retained comes again.
    broker.sessionTime = 0
    let state = Guarded(
      State(table: FleetTable(rooms: settings.rooms), link: FleetLink(broker: settings.broker.address)))
    let prefix = settings.prefix
    (self.state, self.clock, self.now) = (state, clock, now)
    link = BrokerLink(
      broker, identifier: "ble-fleet-" + String(UInt64.random(in: 0...UInt64.max), radix: 36), backOff: backOff,
      clock: clock
    ) { event, publisher in
      switch event {
      case .connected:
        publisher.subscribe(FleetTable.filters(prefix), .whileConnected)
        state.with { $0.set(isConnected: true, reason: nil) }
      case .disconnected(let reason, _): state.with { $0.set(isConnected: false, reason: reason) }
      case .received(let messages):
        state.with { state in
          for message in messages { state.table.take(message, prefix: prefix, at: clock.now, now()) }
        }
      case .acknowledged, .oversized: break
      }
    }
  }

  package func start() { link.start() }
  package func stop() async { await link.stop() }

  /// Everything that is known.
  package var scene: FleetScene {
    state.with { state in
      var scene = state.table.scene(at: clock.now)
      scene.link = state.link(at: now())
      return scene
    }
  }

  /// What has changed since the last call; `nil`: nothing.
  package func changedScene() -> FleetScene? {
    state.with { state in
      let changes = state.table.changes(at: clock.now)
      guard changes != nil || state.isLinkChanged else { return nil }
      state.isLinkChanged = false
      var scene = changes ?? FleetScene()
      scene.link = state.link(at: now())
      return scene
    }
  }
}

extension FleetBoard.State {
  fileprivate mutating func set(isConnected: Bool, reason: String?) {
    (link.isConnected, link.reason, isLinkChanged) = (isConnected, reason, true)
  }

  fileprivate func link(at time: Date) -> FleetLink {
    var link = link
    link.ignored = table.ignored
    link.time = Int(exactly: (time.timeIntervalSince1970 * 1_000).rounded()) ?? 0
    return link
  }
}
