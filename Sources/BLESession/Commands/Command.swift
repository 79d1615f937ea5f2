import CoreBluetooth

/// Something a device is told to do, and how to know that it did.
public struct Command: Sendable {
  /// What is told, before the queue's codecs.
  public var content: Data
  /// How the device's answer is recognised. `nil`: the acknowledgement of the write is all there is.
  public var answer: AnswerRule?
  /// For each try.
  public var timeLimit: Duration
  /// How often it is told again where no answer comes.
  public var retries: Int
  /// What is more urgent goes first; 0 is usual. Those of one priority keep their order.
  public var priority: Int
  /// Telling it twice does no harm: where the link is lost before the answer it may be told again on the next one.
  public var isRepeatable: Bool

  /// A command; without an answer rule it is over when the write was acknowledged.
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

/// What becomes of commands that wait when the link is lost.
public enum DisconnectPolicy: String, Sendable, Hashable, Codable {
  /// They fail at once.
  case fail
  /// They wait for the device to come back. The one under way fails, unless it may be told twice.
  case resume
}

/// How far a command's octets have gone out.
public struct TransferProgress: Sendable, Hashable {
  /// Octets that have gone out.
  public var sent: Int
  /// Octets in all.
  public var total: Int
}
