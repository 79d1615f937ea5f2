import BLESession
import BLEText
import CoreBluetooth

/// The dialogue that proves a described device: one command, and the answer that the file says.
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

/// What goes on between a program and a described device, for whoever wants to follow it.
public enum DeviceReport: Sendable, Hashable {
  /// The handshake's command went out for the first time on this link.
  case handshakeTold
  /// The device proved itself.
  case handshakeAnswered([FieldReading])
  /// The device refused.
  case handshakeRefused([FieldReading])
  /// A command went out, for the first time or again.
  case told(command: String, attempt: Int)
}

extension [FieldReading] {
  /// ` (reason wrong-pin)`, or nothing.
  var inBrackets: String {
    isEmpty ? "" : " (" + map { "\($0.name) \($0.description.inert)" }.joined(separator: ", ") + ")"
  }
}
