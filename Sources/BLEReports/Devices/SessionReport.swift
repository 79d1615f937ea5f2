import BLESession
import BLEText
import CoreBluetooth

/// An event of a device's session, for people and for programs.
package struct SessionReport {
  /// The event's name in JSON; `nil` if JSON has no such event.
  package let name: String?
  package let members: JSONValue
  /// A line for people; `nil` if another event's line includes it.
  package let sentence: String?

  private init(_ name: String?, _ members: KeyValuePairs<String, JSONValue>, _ sentence: String?) {
    (self.name, self.members, self.sentence) = (name, .object(members), sentence)
  }

  package init(_ event: SessionEvent) {
    switch event {
    case .state(.stopped(let reason)):
      self.init("stopped", ["reason": .string(reason.rawValue)], "stopped: \(Self.word(reason))")
    case .state(let state):
      self.init("state", ["state": .string(Self.word(state))], state == .searching ? "searching" : nil)
    case .connected(let origin): self.init("connected", ["origin": .string(origin.rawValue)], nil)
    case .ready(let origin):
      self.init("ready", ["origin": .string(origin.rawValue)], origin == .automatic ? "ready again" : "ready")
    case .disconnected(.user): self.init("disconnected", ["reason": .string("user"), "message": .null], "disconnected")
    case .disconnected(.lost(let error)):
      let message = error?.localizedDescription
      self.init(
        "disconnected", ["reason": .string("lost"), "message": .string(orNull: message)],
        "lost\(message.map { ": " + $0.inert } ?? "")")
    case .attempt(let number, let remaining):
      let seconds = Self.seconds(remaining)
      self.init(
        "attempt", ["number": .integer(number), "seconds_left": .number(seconds)],
        "attempt \(number), \(Int(seconds.rounded(.up))) s left")
    case .attemptFailed(let number, let error):
      let text = Self.text(error)
      self.init(
        "attempt_failed", ["number": .integer(number), "message": .string(text)], "attempt \(number) failed: \(text)")
    case .openingRepeated(let left):
      self.init(
        "opening_repeated", ["retries_left": .integer(left)], "no answer: sent again, at most \(left) more times")
    case .hint(let hint): self.init("hint", ["message": .string(hint)], hint.inert)
    case .subscriptionFailed(let path, let error):
      let text = Self.text(error)
      self.init(
        "subscription_failed", ["characteristic": .string(path.description), "message": .string(text)],
        "\(path) does not notify: \(text)")
    case .storageFailed(let error): self.init(nil, [:], "it could not be remembered: \(Self.text(error))")
    case .servicesChanged: self.init("services_changed", [:], "its services have changed")
    }
  }

  package static func word(_ state: SessionState) -> String {
    switch state {
    case .idle: "idle"
    case .searching: "searching"
    case .connecting: "connecting"
    case .preparing: "preparing"
    case .verifying: "verifying"
    case .ready: "ready"
    case .waiting: "waiting"
    case .disconnecting: "disconnecting"
    case .stopped(let reason): "stopped: \(word(reason))"
    }
  }

  /// The name of the case.
  package static func name(of state: SessionState) -> String {
    if case .stopped = state { "stopped" } else { word(state) }
  }

  package static func word(_ reason: StopReason) -> String {
    switch reason {
    case .user: "at your request"
    case .bondLost: "the device has deleted the pairing"
    case .poweredOff: "Bluetooth is off"
    case .budgetSpent: "it did not reconnect in time"
    case .attemptsSpent: "all attempts failed"
    case .unauthorized: "this program may not use Bluetooth"
    case .unsupported: "Bluetooth is not available"
    case .notVerified: "its identity was not verified"
    case .lost: "the connection was lost"
    }
  }

  private static func text(_ error: any Error) -> String {
    ((error as? SessionError)?.description ?? error.localizedDescription).inert
  }

  private static func seconds(_ duration: Duration) -> Double {
    let (seconds, fraction) = duration.components
    return (Double(seconds) * 10 + (Double(fraction) / 1e17).rounded()) / 10
  }
}
