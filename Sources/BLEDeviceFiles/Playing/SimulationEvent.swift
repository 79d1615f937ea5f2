import BLESession
import CoreBluetooth

/// An event of a simulated device.
public enum SimulationEvent: Sendable, Equatable {
  /// How the device handled a command.
  public enum Outcome: String, Sendable, Hashable {
    /// Answered, or refused because of its values.
    case accepted, refused
    /// Received before the handshake, and ignored.
    case untrusted
    /// Not answered, as the description demands.
    case silent
  }

  /// Centrals can find it.
  case advertising
  /// Bluetooth is unavailable; `advertising` follows when it is back.
  case unavailable
  /// A central has subscribed to a characteristic.
  case subscribed(UUID, CharacteristicPath)
  /// A central has unsubscribed.
  case unsubscribed(UUID, CharacteristicPath)
  /// A central has read a value.
  case read(UUID, CharacteristicPath, Data)
  /// A central has written a value of a recorded device.
  case wrote(UUID, CharacteristicPath, Data)
  /// A central has sent a command.
  case command(String, [FieldReading], Outcome)
  /// Octets that are not a valid frame.
  case damaged(Data)
  /// A message that is not a command.
  case unknown(Data)
  /// A notification was sent on demand.
  case said(String)
  /// Publishing or advertising has failed.
  case failed(SessionError)
}
