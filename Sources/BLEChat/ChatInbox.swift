import BLESession
import Foundation

/// Messages of the other side: the place expected next, and the incomplete message.
struct ChatInbox {
  enum Outcome: Equatable {
    case nothing
    case message(number: UInt32, content: Data)
    /// No more messages follow.
    case end
  }

  /// How many partners are remembered, so that messages of one that returns are not received twice.
  private static let mostRemembered = 8
  /// How many octets of an incomplete message are received before an acknowledgement.
  private static let acknowledgementStep = 8_192

  /// A sender: its identifier, and the keys that prove it; 0 without any. Frames without encryption, or with other keys, do not affect
  /// what was received from this one.
  private struct Speaker: Equatable {
    var identifier: UInt64
    var keys: UInt64
  }

  private var remembered: [(speaker: Speaker, expected: UInt32)] = []
  private var speaker: Speaker?
  /// 0 while nothing is known of the sender.
  private var expected: UInt32 = 0
  private var content = Data()
  private var total: UInt32 = 0
  private var acknowledged = ChatPlace(number: 0, offset: 0)
  private(set) var duplicates = 0

  /// The place that is expected next.
  var place: ChatPlace { ChatPlace(number: expected, offset: UInt32(content.count)) }

  /// Whether there is something to acknowledge.
  var isAcknowledgementDue: Bool {
    acknowledged.number != expected || Int(acknowledged.offset) + Self.acknowledgementStep <= content.count
  }

  mutating func acknowledge() -> ChatPlace {
    acknowledged = place
    return place
  }

  /// Sets the sender of the following messages.
  mutating func listen(to identifier: UInt64, keys: UInt64) {
    let next = Speaker(identifier: identifier, keys: keys)
    guard next != speaker else { return }
    if let speaker {
      remembered.append((speaker, expected))
      if remembered.count > Self.mostRemembered { remembered.removeFirst() }
    }
    speaker = next
    expected = remembered.first { $0.speaker == next }?.expected ?? 0
    remembered.removeAll { $0.speaker == next }
    content = Data()
  }

  /// Called when the sender resumes: `first` is its first unacknowledged message, `next` the number of its next new one.
  mutating func resume(first: UInt32, next: UInt32) throws(ChatViolation) {
    guard first > 0, next >= first else { throw ChatViolation("messages are numbered from 1, one after the other") }
    // Messages that the sender has discarded do not arrive any more. What was received beyond `next` came from another device that used
    // its identifier: then the sender starts with its first message.
    if expected < first || ChatPlace(number: next, offset: 0) < place {
      expected = first
      content = Data()
    }
    // This side has told the sender this place in its own resume frame.
    acknowledged = place
  }

  mutating func take(_ piece: ChatPiece) throws(ChatViolation) -> Outcome {
    guard piece.total <= ChatProtocol.longestMessage else {
      throw ChatViolation("a message of \(piece.total) octets: \(ChatProtocol.longestMessage) are the most")
    }
    let end = UInt64(piece.place.offset) + UInt64(piece.octets.count)
    guard end <= piece.total, !piece.octets.isEmpty || piece.total == 0 else {
      throw ChatViolation("a piece that does not fit into its message")
    }
    if piece.place.number < expected || (piece.place.number == expected && end <= content.count && piece.total > 0) {
      duplicates += 1
      return .nothing
    }
    // A message starts again if the part that was received is not the sender's.
    if piece.place == ChatPlace(number: expected, offset: 0) { content = Data() }
    guard piece.place.number == expected, Int(piece.place.offset) == content.count else {
      throw ChatViolation("a piece is missing before that of message \(piece.place.number)")
    }
    guard content.isEmpty || piece.total == total else {
      // On the next link it starts again.
      content = Data()
      throw ChatViolation("a message changes its length")
    }
    guard expected < .max else { throw ChatViolation("all numbers are used up") }
    total = piece.total
    content.append(piece.octets)
    guard content.count == Int(total) else { return .nothing }
    defer {
      expected += 1
      content = Data()
    }
    return total == 0 ? .end : .message(number: expected, content: content)
  }
}
