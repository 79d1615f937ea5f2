import Foundation

/// What a device says after a write.
public struct RecordedAnswer: Sendable, Hashable {
  /// Which writes are answered so.
  public enum Match: Sendable, Hashable {
    /// Writes of just these octets.
    case same(Data)
    /// Writes that begin with these octets.
    case prefix(Data)
  }

  /// The attribute that is written.
  public var handle: UInt16
  /// Which writes are answered so.
  public var match: Match
  /// What is said after the first such write, after the second, and so on; then the first again.
  public var turns: [[RecordedStatement]]

  /// An answer to writes of the attribute `handle`.
  public init(handle: UInt16, match: Match, turns: [[RecordedStatement]]) {
    self.handle = handle
    self.match = match
    self.turns = turns
  }

  package func matches(_ value: Data) -> Bool {
    switch match {
    case .same(let octets): value == octets
    case .prefix(let octets): value.starts(with: octets)
    }
  }
}

/// A notification or an indication.
public struct RecordedStatement: Sendable, Hashable {
  /// The attribute whose value it says.
  public var handle: UInt16
  /// Whether it is an indication, which the central confirms.
  public var isIndication: Bool
  /// Microseconds after the write.
  public var delay: Int64
  /// What is said.
  public var value: RecordedValue

  /// A value of the attribute `handle`, sent `delay` microseconds after the write.
  public init(handle: UInt16, isIndication: Bool, delay: Int64, value: RecordedValue) {
    self.handle = handle
    self.isIndication = isIndication
    self.delay = delay
    self.value = value
  }
}

/// What a device says of one attribute to a subscriber, unasked.
public struct RecordedStream: Sendable, Hashable {
  /// What it begins with.
  public enum Beginning: String, Sendable, Hashable, CaseIterable {
    /// The central subscribes.
    case subscription
    /// The link begins: the device remembers the subscription of an earlier link.
    case connection
  }

  /// The attribute whose value it says.
  public var handle: UInt16
  /// Whether it indicates.
  public var isIndication: Bool
  /// What it begins with.
  public var beginning: Beginning
  /// For each beginning the times of what was said, in microseconds behind it, in ascending order. Behind the last it is the first again.
  public var runs: [[Int64]]
  /// What is said. Of a sequence each run has its own part, one behind the other.
  public var value: RecordedValue
  /// After so many microseconds a run is repeated; `nil`: it ends.
  public var pause: Int64?

  /// Values of the attribute `handle`. The times of each of `runs` are in microseconds and ascend; `pause` is in microseconds as well.
  public init(
    handle: UInt16, isIndication: Bool, beginning: Beginning, runs: [[Int64]], value: RecordedValue, pause: Int64?
  ) {
    self.handle = handle
    self.isIndication = isIndication
    self.beginning = beginning
    self.runs = runs
    self.value = value
    self.pause = pause
  }
}

/// A request of the Attribute Protocol, and what was answered.
public struct RecordedExchange: Sendable, Hashable {
  /// The whole PDU.
  public var request: Data
  /// The whole PDUs, one for each time that it is asked. The last stays.
  public var responses: [Data]

  /// A request with its responses.
  public init(request: Data, responses: [Data]) {
    self.request = request
    self.responses = responses
  }
}
