import CoreBluetooth

/// How a connection came about.
public enum ConnectionOrigin: String, Sendable, Hashable, Codable {
  /// The user chose it.
  case user
  /// The session won the device back by itself.
  case automatic
}

/// Why a connection ended.
public enum DisconnectReason: Sendable {
  /// The user asked for it.
  case user
  /// It was lost; the error says how, where Core Bluetooth said something.
  case lost((any Error)?)

  /// Whether it was lost.
  public var isLoss: Bool { if case .lost = self { true } else { false } }
}

/// Why a session does not try any longer.
public enum StopReason: String, Sendable, Hashable, Codable {
  /// The user asked for it.
  case user
  /// The device forgot the pairing: somebody has to pair anew.
  case bondLost
  /// Bluetooth was switched off. A session that is wanted starts over when it is on again.
  case poweredOff
  /// The time for winning the device back is over.
  case budgetSpent
  /// The attempts are used up.
  case attemptsSpent
  /// This program may not use Bluetooth. A session that is wanted starts over when it may.
  case unauthorized
  /// There is no Bluetooth here. A session that is wanted starts over when there is.
  case unsupported
  /// The device did not prove to be what it should be.
  case notVerified
  /// The connection was lost, and the policy says not to win it back.
  case lost
}

/// Where a session is on its way.
public enum SessionState: Sendable, Hashable {
  /// Nothing was asked for yet.
  case idle
  /// Scanning for the device.
  case searching
  /// Connecting to a device that is known.
  case connecting
  /// Connected; services are discovered and subscriptions made.
  case preparing
  /// The device has to prove itself.
  case verifying
  /// To be used.
  case ready
  /// An attempt failed; the next one comes after a pause.
  case waiting
  /// The user ended it; the link is not down yet.
  case disconnecting
  /// No longer trying, and why.
  case stopped(StopReason)

  /// Whether something is being done to become ready.
  public var isTrying: Bool {
    switch self {
    case .searching, .connecting, .preparing, .verifying, .waiting: true
    case .idle, .ready, .disconnecting, .stopped: false
    }
  }
}

/// What happens to a session.
public enum SessionEvent: Sendable {
  /// The session is somewhere else on its way.
  case state(SessionState)
  /// The link is there; services are not known yet.
  case connected(ConnectionOrigin)
  /// Everything can be used. An application navigates where the user asked for the connection, and else shows its state only.
  case ready(ConnectionOrigin)
  /// The link is down.
  case disconnected(DisconnectReason)
  /// An attempt begins. `remaining` is what is left of the time for all of them.
  case attempt(number: Int, remaining: Duration)
  /// An attempt came to nothing; the error says how.
  case attemptFailed(number: Int, any Error)
  /// The device did not answer a step of the opening in time: it is said again.
  case openingRepeated(retriesLeft: Int)
  /// The device does not come at once: what the user can do about it.
  case hint(String)
  /// A characteristic that is listened to cannot be; the session is ready all the same.
  case subscriptionFailed(CharacteristicPath, SessionError)
  /// The device could not be remembered; it is connected all the same.
  case storageFailed(any Error)
  /// The device changed its services; they are discovered anew.
  case servicesChanged
}

/// An event and when it happened, by the session's clock.
public struct TimedEvent: Sendable {
  /// When, by the session's clock.
  public var time: Duration
  /// What happened.
  public var event: SessionEvent
}
