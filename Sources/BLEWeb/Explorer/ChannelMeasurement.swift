import BLEReports
import BLESession
import Foundation

/// A measurement of how fast a channel carries octets: those that are sent, and those that the device sends meanwhile.
struct ChannelMeasurement: Sendable {
  enum State: String, Sendable { case running, done, cancelled, failed }

  /// What Core Bluetooth takes before any of it is sent, in octets: so much may be on this side when the last was taken.
  static let ahead = 64 << 10

  let total: Int
  let start: Duration
  var state = State.running
  var sent = 0
  var received = 0
  /// When the last octets were taken, and when the last have come, by the central's clock.
  var lastSent: Duration
  var lastReceived: Duration
  /// Why it has not come to its end.
  var message: String?

  init(_ total: Int, at start: Duration) {
    self.total = total
    self.start = start
    lastSent = start
    lastReceived = start
  }

  /// Whether as much as was sent has come back.
  var isWhole: Bool { sent == total && received >= total }

  var json: JSONValue {
    [
      "state": .string(state.rawValue), "total_octets": .integer(total), "sent": .integer(sent),
      "sent_octets_per_second": Self.rate(sent - Self.ahead, lastSent - start), "received": .integer(received),
      "received_octets_per_second": Self.rate(received, lastReceived - start),
      "seconds": .number((max(lastSent, lastReceived) - start).rounded), "message": .string(orNull: message),
    ]
  }

  private static func rate(_ octets: Int, _ time: Duration) -> JSONValue {
    octets > 0 && time > .zero ? .number((Double(octets) / time.seconds).rounded()) : .null
  }
}

extension Duration {
  /// Seconds with three places.
  fileprivate var rounded: Double { (seconds * 1_000).rounded() / 1_000 }
}
