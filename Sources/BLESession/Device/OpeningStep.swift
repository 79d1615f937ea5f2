import CoreBluetooth

/// What an answer is, seen from a question.
public enum AnswerVerdict: Sendable, Hashable {
  /// That is it.
  case accepted
  /// The device says no.
  case refused
  /// It belongs to something else.
  case unrelated
}

/// How a device's answer to something is recognised.
public enum AnswerRule: Sendable {
  /// Exactly these octets; others are for somebody else.
  case exactly(Data)
  /// Octets that begin so; others are for somebody else.
  case beginning(Data)
  /// What the closure says. It runs on the session's queue and has to be quick.
  case judged(@Sendable (Data) -> AnswerVerdict)

  /// What `answer` is.
  public func verdict(on answer: Data) -> AnswerVerdict {
    switch self {
    case .exactly(let expected): answer == expected ? .accepted : .unrelated
    case .beginning(let expected): answer.starts(with: expected) ? .accepted : .unrelated
    case .judged(let judge): judge(answer)
    }
  }
}

/// What tells a device from others of its kind and name: a value that it can be asked for, such as its serial number.
///
/// A device that says something else gets no command; the session goes on looking where its target leaves room for that.
public struct IdentityCheck: Sendable {
  /// Where the value is read.
  public var path: CharacteristicPath
  /// What the value has to be.
  public var expected: AnswerRule

  /// A value that a device is told by.
  public init(_ path: CharacteristicPath, _ expected: AnswerRule) {
    self.path = path
    self.expected = expected
  }

  /// The serial number of the Device Information Service. Zeros behind it do not count.
  public static func serialNumber(_ number: String) -> IdentityCheck {
    IdentityCheck(
      CharacteristicPath("2A25", in: "180A"),
      .judged { Data($0.prefix { $0 != 0 }) == Data(number.utf8) ? .accepted : .refused })
  }
}

/// A conversation that has to come to a good end before a session is ready.
///
/// Without input or output of its own: it is told what the device says and answers with what to do.
public protocol OpeningDialogue {
  /// What comes first.
  mutating func begin() -> OpeningMove
  /// What follows from a value that the device notified.
  mutating func received(_ value: Data) -> OpeningMove
}

/// What an opening dialogue does next.
public enum OpeningMove: Sendable, Hashable {
  /// Write this, and wait for what the device answers.
  case say(Data)
  /// The value was for somebody else, or there is more to come.
  case listen
  /// The device proved itself.
  case done
  /// The device is not the right one, or does not want.
  case refused(String)
}

/// One conversation on the way to a session that is ready: a handshake that proves the device, or an agreement on keys.
public struct OpeningStep: Sendable {
  /// Where commands are written.
  public var commandPath: CharacteristicPath
  /// Where answers are notified; may be the same characteristic.
  public var answerPath: CharacteristicPath
  /// For each answer.
  public var timeLimit: Duration
  /// How often something is said again where no answer comes.
  public var retries: Int
  /// A new dialogue for each connection.
  public var dialogue: @Sendable () -> any OpeningDialogue

  /// A conversation of one's own; `dialogue` makes a new one for each connection.
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

  /// A command and the answer that proves a device.
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
