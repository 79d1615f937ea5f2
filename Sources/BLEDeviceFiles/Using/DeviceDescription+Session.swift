import BLESession
import BLEText
import CoreBluetooth

/// Conversion of a description for sessions.
extension DeviceDescription {
  func codec(
    numbers: SequenceNumbers, cryptography: (any SessionCryptography)?
  ) throws(SessionError) -> DescribedCodec {
    do {
      return try DescribedCodec(
        conversation?.codec ?? DescribedCodecPlan(), numbers: numbers, cryptography: cryptography)
    } catch let error as SessionError {
      throw error
    } catch {
      throw SessionError(.invalid, "a key of the device description cannot be used", underlying: error)
    }
  }

  /// The handshake, as a step that has to succeed before a session is ready.
  func opening(
    codec: DescribedCodec, numbers: SequenceNumbers, report: @escaping @Sendable (DeviceReport) -> Void
  ) throws(SessionError) -> [OpeningStep] {
    guard let conversation, let handshake = conversation.handshake,
      case .conversation(let send, let answer?, let refusal)? = command(named: handshake.command)?.kind
    else { return [] }
    let content = codec.content(of: try send.message(handshake.values))
    return [
      OpeningStep(
        commandPath: conversation.commandPath, answerPath: conversation.answerPath,
        timeLimit: .seconds(handshake.timeLimit), retries: handshake.retries
      ) {
        DescribedHandshake(
          command: content, answer: answer, refusal: refusal, numbers: numbers, codec: codec, report: report)
      }
    ]
  }

  /// The command, if these values are valid for it.
  func command(_ name: String, with values: [String: FieldValue]) throws(SessionError) -> DeviceCommand {
    guard let command = command(named: name) else {
      let suggestion = Suggestion.sentence(for: name, among: commands.map(\.name))
      throw SessionError(.invalid, "the description has no command \"\(name.inert)\"\(suggestion)")
    }
    let names = command.parameters.map(\.name)
    for key in values.keys.sorted() where !names.contains(key) {
      let suggestion = Suggestion.sentence(for: key, among: names)
      throw SessionError(.invalid, "the command \"\(name)\" has no field \"\(key.inert)\"\(suggestion)")
    }
    return command
  }
}

extension MessageLayout {
  func message(_ values: [String: FieldValue]) throws(SessionError) -> DescribedMessage {
    do {
      return try encode(values)
    } catch {
      throw SessionError(.invalid, error.errorDescription ?? error.expected)
    }
  }
}
