import BLESession
import CoreBluetooth

/// What happens to a simulated device.
public enum SimulationEvent: Sendable, Equatable {
  /// How the device took a command.
  public enum Outcome: String, Sendable, Hashable {
    /// Answered, or refused for what was given.
    case accepted, refused
    /// Before the handshake: it is passed over.
    case untrusted
    /// The description says that it is not answered.
    case silent
  }

  /// Centrals can find it.
  case advertising
  /// Bluetooth has gone; `advertising` follows when it is back.
  case unavailable
  /// A central listens to a characteristic.
  case subscribed(UUID, CharacteristicPath)
  /// A central does not listen any more.
  case unsubscribed(UUID, CharacteristicPath)
  /// A central read a value.
  case read(UUID, CharacteristicPath, Data)
  /// A central told a command.
  case command(String, [FieldReading], Outcome)
  /// Octets that are no frame.
  case damaged(Data)
  /// A message that is no command.
  case unknown(Data)
  /// A notification was said because somebody wanted it.
  case said(String)
  /// Something that goes on by itself could not be done.
  case failed(SessionError)
}
