import BLESession
import Foundation

/// What the other side says: where it goes on, and the message that is not complete.
struct ChatInbox {
  enum Outcome: Equatable {
    case nothing
    case message(number: UInt32, content: Data)
    /// No more will come.
    case end
  }

  /// Other sides that are remembered, so that one that comes back is not heard twice.
  private static let mostRemembered = 8
  /// Octets after which a message that is not complete is acknowledged.
  private static let acknowledgementStep = 8_192

  /// One that speaks: a number, and the keys that prove it; 0 without any. What comes in the open under a number, or with other
  /// keys, says nothing about what was heard before.
  private struct Speaker: Equatable {
    var identifier: UInt64
    var keys: UInt64
  }

  private var remembered: [(speaker: Speaker, expected: UInt32)] = []
  private var speaker: Speaker?
  /// 0 while nothing is known of the other side.
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

  /// From now on that one speaks.
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

  /// The other side goes on, and says which of its messages is the first that it holds, and which number none of them has yet.
  mutating func resume(first: UInt32, next: UInt32) throws(ChatViolation) {
    guard first > 0, next >= first else { throw ChatViolation("messages are numbered from 1, one after the other") }
    // What the other side has given up will not come any more. What was heard beyond what it has said came from another one that
    // used its number: the other side begins with its first message then.
    if expected < first || ChatPlace(number: next, offset: 0) < place {
      expected = first
      content = Data()
    }
    // The other side has it from this side's word.
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
    // A message that begins again does so because what is there of it is not the other side's.
    if piece.place == ChatPlace(number: expected, offset: 0) { content = Data() }
    guard piece.place.number == expected, Int(piece.place.offset) == content.count else {
      throw ChatViolation("a piece is missing before that of message \(piece.place.number)")
    }
    guard content.isEmpty || piece.total == total else {
      // On the next link it begins again.
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
