import BLEReports
import BLESession

/// What a gateway has counted since it began.
package struct GatewayCounts: Sendable, Equatable {
  /// Whether there is a link to the broker.
  package var isConnected = false
  /// How often the broker has accepted the gateway.
  package var connections = 0
  /// Links to the broker that have ended, and attempts that have failed.
  package var failures = 0
  /// Publications that the broker has acknowledged.
  package var acknowledged = 0
  /// Publications that it has refused.
  package var refused = 0
  /// Messages that no broker's limit has room for.
  package var unsendable = 0
  /// Commands by what has become of them; `taken` for each that was begun.
  package var commands: [String: Int] = [:]
  /// Advertisements that an entry of `listen` has matched.
  package var advertisements = 0
  /// Links to devices that were ready for use.
  package var links = 0
  package var lostLinks = 0
  package var failedAttempts = 0

  package init() {}

  mutating func add(_ report: GatewayReport) {
    switch report {
    case .connected:
      isConnected = true
      connections += 1
    case .disconnected:
      isConnected = false
      failures += 1
    case .command(_, _, let outcome): commands[outcome, default: 0] += 1
    case .unsendable: unsendable += 1
    case .device(_, .ready): links += 1
    case .device(_, .disconnected(.lost)): lostLinks += 1
    case .device(_, .attemptFailed): failedAttempts += 1
    default: break
    }
  }

  mutating func add(_ event: BrokerEvent) {
    guard case .acknowledged(_, let code) = event else { return }
    if code < 128 { acknowledged += 1 } else { refused += 1 }
  }
}

/// What is to be seen of a gateway at one moment.
package struct GatewayFigures: Sendable {
  package var counts: GatewayCounts
  /// Publications that were sent, also those that were sent again.
  package var sent: Int
  /// Messages that wait for the broker, and their octets.
  package var waiting: (rows: Int, octets: Int)
  /// Messages that the outbox has dropped since it was made.
  package var losses: OutboxLosses
  /// Devices that are kept, by the state of the session in one word.
  package var devices: [String: Int]
  /// Devices whose lease this gateway holds; `nil` without a fleet.
  package var held: Int?
  /// Devices that are in rooms or expected, messages that were none of a gateway, and those that have waited too long to count; `nil` without
  /// `presence` and `merge`.
  package var presence: (devices: Int, ignored: Int, late: Int)?
}

extension Gateway {
  package func figures() async -> GatewayFigures {
    var states: [String: Int] = [:]
    for device in devices { states[SessionReport.name(of: await device.session.state), default: 0] += 1 }
    let contents = outbox.contents
    return GatewayFigures(
      counts: counts.with { $0 }, sent: Int(await line.sent()), waiting: (Int(contents.rows), Int(contents.octets)),
      losses: contents.losses, devices: states, held: fleet?.runner.held.count, presence: presence?.figures)
  }

  /// Whether there is a link to the broker.
  package var isConnected: Bool { counts.with { $0.isConnected } }
}
