import BLESession
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

/// Links to a real broker in a ring, each of which hears its neighbours, as the gateways of a fleet do.
final class FleetOfClients: Sendable {
  private let links: [BrokerLink]
  private let arrivals = Arrivals()
  /// How many hear each.
  let neighbours: Int

  init(_ count: Int, on broker: TestBroker, neighbours: Int) async throws {
    self.neighbours = min(neighbours, count - 1)
    let (arrivals, reach) = (arrivals, self.neighbours)
    links = (0..<count).map { number in
      let others = (1...max(1, reach)).prefix(reach).map { Self.topic((number + $0) % count) }
      return BrokerLink(
        BrokerSettings(host: "127.0.0.1", port: broker.port), identifier: "gateway-\(number)",
        backOff: .init(first: .milliseconds(20), longest: .milliseconds(500), jitter: 0.5)
      ) { event, publisher in
        switch event {
        case .connected:
          publisher.subscribe(others + ["ready/\(number)"])
          publisher.publish(BrokerPublication(topic: "ready/\(number)", payload: Data()))
        case .received(let messages):
          let pulses = messages.count { !$0.topic.hasPrefix("ready/") }
          arrivals.add(pulses: pulses, ready: messages.count - pulses)
        default: break
        }
      }
    }
    for link in links { link.start() }
    // The broker has taken a client's subscriptions when the message that it sends to itself has come back.
    try #require(await arrivals.wait(pulses: 0, ready: count))
  }

  private static func topic(_ number: Int) -> String { "ble/fleet/pulse/gateway-\(number)" }

  /// Each says something of `octets`, and all that hear it have received it.
  /// - Returns: how many messages have arrived since the beginning.
  func speak(octets: Int, expecting total: Int) async throws -> Int {
    let payload = Data(repeating: 0x2E, count: octets)
    for (number, link) in links.enumerated() {
      let message = BrokerPublication(topic: Self.topic(number), payload: payload)
      link.perform { $0.publish(message) }
    }
    try #require(await arrivals.wait(pulses: total, ready: links.count))
    return arrivals.pulses
  }

  func stop() async { for link in links { await link.stop() } }

  /// `@unchecked Sendable`: touched under its condition only.
  private final class Arrivals: @unchecked Sendable {
    private let condition = NSCondition()
    private var counts = (pulses: 0, ready: 0)

    var pulses: Int { condition.withLock { counts.pulses } }

    func add(pulses: Int, ready: Int) {
      condition.withLock {
        counts = (counts.pulses + pulses, counts.ready + ready)
        condition.broadcast()
      }
    }

    /// On a thread of its own: tasks have few. False after two minutes.
    func wait(pulses: Int, ready: Int) async -> Bool {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let deadline = Date().addingTimeInterval(120)
          let isThere = self.condition.withLock {
            while self.counts.pulses < pulses || self.counts.ready < ready {
              if !self.condition.wait(until: deadline) { return false }
            }
            return true
          }
          continuation.resume(returning: isThere)
        }
      }
    }
  }
}
