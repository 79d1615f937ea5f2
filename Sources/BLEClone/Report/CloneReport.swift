import BLECapture

/// How much of its log a clone reproduces: the log's client played against the clone, PDU by PDU.
public struct CloneReport: Sendable, Hashable {
  /// One PDU that the clone did not send as the device did.
  public struct Difference: Sendable, Hashable {
    /// Of all PDUs of the conversation with the device, counted from 1.
    public let number: Int
    public let time: CaptureTimestamp
    /// What the device sent.
    public let expected: [UInt8]
    /// What the clone sent instead; `nil` if nothing.
    public let found: [UInt8]?
  }

  public static let mostDifferences = 20

  /// The PDUs of the device: responses to requests in the log, notifications and indications.
  public internal(set) var total = 0
  /// Those of them that the clone sent as well, with the same octets and in the same order: a response to the same request,
  /// what is unsolicited in the order of its link.
  public internal(set) var reproduced = 0
  /// The responses among `total`.
  public internal(set) var responses = 0
  /// The responses among `reproduced`.
  public internal(set) var reproducedResponses = 0
  /// The PDUs that the clone sent and the device did not.
  public internal(set) var surplus = 0
  /// The first differences, at most 20.
  public internal(set) var differences: [Difference] = []
  /// The requests that were answered otherwise.
  var wrongRequests: Set<[UInt8]> = []

  /// The share that is reproduced, in hundredths of a per cent; a log in which the device said nothing is reproduced.
  public var share: Int { total == 0 ? 10_000 : reproduced * 10_000 / total }

  mutating func differ(_ number: Int, _ time: CaptureTimestamp, _ expected: [UInt8], _ found: [UInt8]?) {
    guard differences.count < Self.mostDifferences else { return }
    differences.append(Difference(number: number, time: time, expected: expected, found: found))
  }
}
