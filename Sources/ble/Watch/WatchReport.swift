import BLESession
import Foundation

/// What happens to a watched device, for people and for programs.
enum WatchReport {
  /// A line for people; `nil` where the event is told by another one.
  static func sentence(_ event: SessionEvent) -> String? {
    switch event {
    case .state(.searching): "looking for it"
    case .state(.stopped(let reason)): "stopped: \(word(reason))"
    case .state: nil
    case .connected: nil
    case .ready(let origin): origin == .automatic ? "ready again" : "ready"
    case .disconnected(.user): "disconnected"
    case .disconnected(.lost(let error)):
      "lost\(error.map { ": " + $0.localizedDescription.inert } ?? "")"
    case .attempt(let number, let remaining):
      "attempt \(number), \(Int(Self.seconds(remaining).rounded(.up))) s left"
    case .attemptFailed(let number, let error): "attempt \(number) failed: \(text(error))"
    case .openingRepeated(let left): "no answer: asked again, \(left) times more at the most"
    case .hint(let hint): hint.inert
    case .subscriptionFailed(let path, let error): "\(path) does not notify: \(text(error))"
    case .storageFailed(let error): "it could not be remembered: \(text(error))"
    case .servicesChanged: "its services have changed"
    }
  }

  /// The name and the members of an event in JSON.
  static func json(_ event: SessionEvent) -> (name: String, members: JSONValue)? {
    switch event {
    case .state(.stopped(let reason)): ("stopped", .object(["reason": .string(reason.rawValue)]))
    case .state(let state): ("state", .object(["state": .string(word(state))]))
    case .connected(let origin): ("connected", .object(["origin": .string(origin.rawValue)]))
    case .ready(let origin): ("ready", .object(["origin": .string(origin.rawValue)]))
    case .disconnected(let reason):
      switch reason {
      case .user: ("disconnected", .object(["reason": .string("user"), "message": .null]))
      case .lost(let error):
        ("disconnected", .object(["reason": .string("lost"), "message": .string(orNull: error?.localizedDescription)]))
      }
    case .attempt(let number, let remaining):
      ("attempt", .object(["number": .integer(number), "seconds_left": .number(Self.seconds(remaining))]))
    case .attemptFailed(let number, let error):
      ("attempt_failed", .object(["number": .integer(number), "message": .string(text(error))]))
    case .openingRepeated(let left): ("opening_repeated", .object(["retries_left": .integer(left)]))
    case .hint(let hint): ("hint", .object(["message": .string(hint)]))
    case .subscriptionFailed(let path, let error):
      ("subscription_failed", .object(["characteristic": .string(path.description), "message": .string(text(error))]))
    case .storageFailed: nil
    case .servicesChanged: ("services_changed", .object([:]))
    }
  }

  static func word(_ state: SessionState) -> String {
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

  static func word(_ reason: StopReason) -> String {
    switch reason {
    case .user: "as you wished"
    case .bondLost: "it forgot the pairing"
    case .poweredOff: "Bluetooth is off"
    case .budgetSpent: "it did not come back in time"
    case .attemptsSpent: "all attempts failed"
    case .unauthorized: "this program may not use Bluetooth"
    case .unsupported: "there is no Bluetooth"
    case .notVerified: "it is not what it should be"
    case .lost: "it was lost"
    }
  }

  /// What a command ends with when its device is not tried for any longer; `nil` where that is no end.
  static func failure(_ reason: StopReason, of title: String) -> ToolError? {
    switch reason {
    // Goes on when Bluetooth is on again, or is the user's wish.
    case .user, .poweredOff: nil
    case .budgetSpent, .attemptsSpent: ToolError(.timedOut, "\(title): \(word(reason)).")
    case .unauthorized, .unsupported: ToolError(.unavailable, "\(title): \(word(reason)).")
    case .bondLost:
      ToolError(.failed, "\(title): \(word(reason)). Forget it here as well ('ble unpair'), and pair anew.")
    case .notVerified, .lost: ToolError(.failed, "\(title): \(word(reason)).")
    }
  }

  private static func text(_ error: any Error) -> String {
    ((error as? SessionError)?.description ?? error.localizedDescription).inert
  }

  private static func seconds(_ duration: Duration) -> Double {
    let (seconds, fraction) = duration.components
    return (Double(seconds) * 10 + (Double(fraction) / 1e17).rounded()) / 10
  }

  /// The members of a measurement in JSON.
  static func json(_ strength: SignalReading) -> JSONValue {
    .object([
      "rssi": .integer(strength.rssi), "smoothed": .number((strength.smoothed * 10).rounded() / 10),
      "proximity": .string(strength.proximity.rawValue),
    ])
  }

  static func sentence(_ strength: SignalReading, _ style: Style) -> String {
    let rssi = String(strength.rssi)
    let smoothed = String((strength.smoothed * 10).rounded() / 10)
    return String(repeating: " ", count: max(0, 4 - rssi.count))
      + "\(style.strong(rssi)) dBm \(Sparkline.bars(strength.rssi))  smoothed \(smoothed) dBm  \(strength.proximity.rawValue)"
  }
}

/// One measurement of a signal.
struct SignalReading: Equatable, Sendable {
  /// In dBm, as it was measured.
  let rssi: Int
  /// In dBm.
  let smoothed: Double
  let proximity: Proximity
}

extension SignalReading {
  init(_ strength: SignalStrength) {
    self.init(rssi: strength.rssi, smoothed: strength.smoothed, proximity: strength.proximity)
  }
}
