import CoreBluetooth

/// Who started a connection.
public enum ConnectionOrigin: String, Sendable, Hashable, Codable {
  /// The user.
  case user
  /// The session, automatically.
  case automatic
}

/// Why a connection ended.
public enum DisconnectReason: Sendable {
  /// The user asked for it.
  case user
  /// The link was lost; the error is that of Core Bluetooth, if there was one.
  case lost((any Error)?)

  /// Whether the link was lost.
  public var isLoss: Bool { if case .lost = self { true } else { false } }
}

/// Why a session has stopped trying to connect.
public enum StopReason: String, Sendable, Hashable, Codable {
  /// The user asked for it.
  case user
  /// The device has deleted the pairing: the user has to pair again.
  case bondLost
  /// Bluetooth was switched off. A session that is wanted starts again when it is on.
  case poweredOff
  /// The time for all attempts has elapsed.
  case budgetSpent
  /// The maximum number of attempts was reached.
  case attemptsSpent
  /// This program has no permission to use Bluetooth. A session that is wanted starts again when it has.
  case unauthorized
  /// Bluetooth Low Energy is not available. A session that is wanted starts again when it is.
  case unsupported
  /// The device failed the identity check or the opening.
  case notVerified
  /// The connection was lost, and the policy has no automatic reconnection.
  case lost
}

/// The state of a session.
public enum SessionState: Sendable, Hashable {
  /// Nothing was requested yet.
  case idle
  /// Scanning for the device.
  case searching
  /// Connecting to a known device.
  case connecting
  /// Connected; discovering services and restoring subscriptions.
  case preparing
  /// Checking the device's identity and carrying out the opening.
  case verifying
  /// Ready for operations.
  case ready
  /// An attempt failed; the next one follows after a pause.
  case waiting
  /// The user ended the session; the link is not down yet.
  case disconnecting
  /// Stopped trying, with the reason.
  case stopped(StopReason)

  /// Whether the session is working towards `ready`.
  public var isTrying: Bool {
    switch self {
    case .searching, .connecting, .preparing, .verifying, .waiting: true
    case .idle, .ready, .disconnecting, .stopped: false
    }
  }
}

/// An event of a session.
public enum SessionEvent: Sendable {
  /// The state has changed.
  case state(SessionState)
  /// The link is established; services are not discovered yet.
  case connected(ConnectionOrigin)
  /// The session is ready. An application navigates to the device's screen only if the user started the connection.
  case ready(ConnectionOrigin)
  /// The link is down.
  case disconnected(DisconnectReason)
  /// An attempt begins. `remaining` is the time left for all attempts.
  case attempt(number: Int, remaining: Duration)
  /// An attempt failed.
  case attemptFailed(number: Int, any Error)
  /// The device did not answer a step of the opening in time: the value is sent again.
  case openingRepeated(retriesLeft: Int)
  /// The device did not connect soon: what the user can do (`SessionConfiguration.wakeHint`).
  case hint(String)
  /// Notifications of a characteristic could not be enabled; the session becomes ready nevertheless.
  case subscriptionFailed(CharacteristicPath, SessionError)
  /// The device could not be stored in the memory; it is connected nevertheless.
  case storageFailed(any Error)
  /// The device changed its services; they are discovered again.
  case servicesChanged
}

/// An event with its time.
public struct TimedEvent: Sendable {
  /// The time, by the session's clock.
  public var time: Duration
  /// The event.
  public var event: SessionEvent
}
