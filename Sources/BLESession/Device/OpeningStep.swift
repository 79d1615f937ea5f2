import CoreBluetooth

/// What a received value means for the command that waits for an answer.
public enum AnswerVerdict: Sendable, Hashable {
  /// It is the expected answer.
  case accepted
  /// The device refuses.
  case refused
  /// It is not an answer to this command.
  case unrelated
}

/// How the answer to a command is recognised.
public enum AnswerRule: Sendable {
  /// Exactly these octets; other values are unrelated.
  case exactly(Data)
  /// Octets with this prefix; other values are unrelated.
  case beginning(Data)
  /// The closure decides. It runs on the session's queue and must return quickly.
  case judged(@Sendable (Data) -> AnswerVerdict)

  /// Returns what a received value means.
  public func verdict(on answer: Data) -> AnswerVerdict {
    switch self {
    case .exactly(let expected): answer == expected ? .accepted : .unrelated
    case .beginning(let expected): answer.starts(with: expected) ? .accepted : .unrelated
    case .judged(let judge): judge(answer)
    }
  }
}

/// A readable value that distinguishes a device from others of the same kind and name, such as its serial number.
///
/// No command is sent to a device with another value; the session continues searching if its target allows that.
public struct IdentityCheck: Sendable {
  /// The characteristic that is read.
  public var path: CharacteristicPath
  /// The expected value.
  public var expected: AnswerRule

  /// Creates a check of one characteristic's value.
  public init(_ path: CharacteristicPath, _ expected: AnswerRule) {
    self.path = path
    self.expected = expected
  }

  /// The Serial Number String of the Device Information Service. Trailing zeros are ignored.
  public static func serialNumber(_ number: String) -> IdentityCheck {
    IdentityCheck(
      CharacteristicPath("2A25", in: "180A"),
      .judged { Data($0.prefix { $0 != 0 }) == Data(number.utf8) ? .accepted : .refused })
  }
}

/// A dialogue with the device that has to succeed before a session is ready.
///
/// A dialogue does no input or output itself: it receives the device's values and returns the next move.
public protocol OpeningDialogue {
  /// Returns the first move.
  mutating func begin() -> OpeningMove
  /// Returns the move that follows a notified value.
  mutating func received(_ value: Data) -> OpeningMove
}

/// The next step of an opening dialogue.
public enum OpeningMove: Sendable, Hashable {
  /// Write this value and wait for the answer.
  case say(Data)
  /// Wait for another value: this one is unrelated or incomplete.
  case listen
  /// The dialogue has succeeded.
  case done
  /// The device is not the expected one, or refuses; the text says why.
  case refused(String)
}

/// One dialogue on the way to the ready state: a handshake that authenticates the device, or a key agreement.
public struct OpeningStep: Sendable {
  /// The characteristic that commands are written to.
  public var commandPath: CharacteristicPath
  /// The characteristic that notifies answers; may be the same.
  public var answerPath: CharacteristicPath
  /// The time limit of each answer.
  public var timeLimit: Duration
  /// How often a value is sent again if no answer is received.
  public var retries: Int
  /// Creates the dialogue of one connection.
  public var dialogue: @Sendable () -> any OpeningDialogue

  /// Creates a step from a custom dialogue; `dialogue` is called once for each connection.
  public init(
    commandPath: CharacteristicPath, answerPath: CharacteristicPath, timeLimit: Duration = .seconds(3),
    retries: Int = 2, dialogue: @escaping @Sendable () -> any OpeningDialogue
  ) {
    self.commandPath = commandPath
    self.answerPath = answerPath
    self.timeLimit = timeLimit
    self.retries = retries
    self.dialogue = dialogue
  }

  /// One command, and the answer that authenticates the device.
  public static func handshake(
    _ command: Data, to commandPath: CharacteristicPath, answerOn answerPath: CharacteristicPath, answer: AnswerRule,
    timeLimit: Duration = .seconds(3), retries: Int = 2
  ) -> OpeningStep {
    OpeningStep(commandPath: commandPath, answerPath: answerPath, timeLimit: timeLimit, retries: retries) {
      Handshake(command: command, answer: answer)
    }
  }
}

/// One command, one answer.
private struct Handshake: OpeningDialogue {
  let command: Data
  let answer: AnswerRule

  func begin() -> OpeningMove { .say(command) }

  func received(_ value: Data) -> OpeningMove {
    switch answer.verdict(on: value) {
    case .accepted: .done
    case .refused: .refused("the device refused the handshake")
    case .unrelated: .listen
    }
  }
}
