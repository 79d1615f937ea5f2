import BLESession
import Foundation

/// Tells what a gateway has just said from what has waited in its outbox, although its clock may be wrong.
///
/// The difference between the clocks is about the least time that a message seems to take. It is learned again when all messages seem to be
/// late for a while: then a clock was set.
struct GatewayDelay: Sendable {
  /// In seconds.
  private var least: Double?
  private var lateSince: Duration?

  /// Whether a message has waited.
  /// - Parameters:
  ///   - stamp: the time that it has, by the gateway's clock.
  ///   - arrival: when it has arrived, by this machine's clock.
  ///   - now: when it has arrived, by a clock that is never set.
  mutating func isLate(_ stamp: Date, _ arrival: Date, at now: Duration, _ rules: PresenceRules) -> Bool {
    let delay = arrival.timeIntervalSince(stamp)
    guard let least, delay > least + rules.silence.seconds else {
      // Clocks do not run equally fast.
      least = least.map { delay < $0 ? delay : $0 + (delay - $0) / 100 } ?? delay
      lateSince = nil
      return false
    }
    let since = lateSince ?? now
    guard now - since < rules.absence else {
      (self.least, lateSince) = (delay, nil)
      return false
    }
    lateSince = since
    return true
  }
}
