import BLESession
import BLEText
import CoreBluetooth

/// The dialogue that verifies a described device: one command and the described answer.
struct DescribedHandshake: OpeningDialogue {
  let command: Data
  let answer: MessageLayout
  let refusal: MessageLayout?
  let numbers: SequenceNumbers
  var codec: DescribedCodec
  let report: @Sendable (DeviceReport) -> Void

  mutating func begin() -> OpeningMove {
    numbers.reset()
    do {
      let value = try codec.encode(command)
      report(.handshakeTold)
      return .say(value)
    } catch {
      return .refused("the handshake cannot be encoded: \(error.localizedDescription)")
    }
  }

  mutating func received(_ value: Data) -> OpeningMove {
    for message in codec.read(value).messages {
      if let readings = answer.decode(message) {
        report(.handshakeAnswered(readings))
        return .done
      }
      if let readings = refusal?.decode(message) {
        report(.handshakeRefused(readings))
        return .refused("the device refused the handshake" + readings.inBrackets)
      }
    }
    return .listen
  }
}

/// A step in the communication with a described device, for logs and displays.
public enum DeviceReport: Sendable, Hashable {
  /// The handshake's command was sent for the first time on this link.
  case handshakeTold
  /// The handshake has succeeded.
  case handshakeAnswered([FieldReading])
  /// The device has refused the handshake.
  case handshakeRefused([FieldReading])
  /// A command was sent, for the first time or again.
  case told(command: String, attempt: Int)
}

extension [FieldReading] {
  /// ` (reason wrong-pin)`, or nothing.
  var inBrackets: String {
    isEmpty ? "" : " (" + map { "\($0.name) \($0.description.inert)" }.joined(separator: ", ") + ")"
  }
}
