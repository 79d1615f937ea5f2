import CoreBluetooth

/// A command to a device and how its answer is recognised.
public struct Command: Sendable {
  /// The content that is sent, before the queue's codecs are applied.
  public var content: Data
  /// How the device's answer is recognised. `nil`: the command completes with the response to the write.
  public var answer: AnswerRule?
  /// The time limit of each try.
  public var timeLimit: Duration
  /// How often the command is sent again if no answer is received.
  public var retries: Int
  /// Commands with a higher priority are sent first; the default is 0. Commands of equal priority keep their order.
  public var priority: Int
  /// Whether the command may be sent twice: if the link is lost before the answer, it can be sent again on the next one.
  public var isRepeatable: Bool

  /// Creates a command; without an answer rule it completes when the write is acknowledged.
  public init(
    _ content: Data, answer: AnswerRule?, timeLimit: Duration = .seconds(5), retries: Int = 0, priority: Int = 0,
    isRepeatable: Bool = false
  ) {
    self.content = content
    self.answer = answer
    self.timeLimit = timeLimit
    self.retries = retries
    self.priority = priority
    self.isRepeatable = isRepeatable
  }
}

/// What happens to waiting commands when the link is lost.
public enum DisconnectPolicy: String, Sendable, Hashable, Codable {
  /// They fail immediately.
  case fail
  /// They wait until the device is connected again. The command in progress fails, unless it is repeatable.
  case resume
}

/// The progress of a command that is sent in several writes.
public struct TransferProgress: Sendable, Hashable {
  /// Octets sent so far.
  public var sent: Int
  /// The total number of octets.
  public var total: Int
}
