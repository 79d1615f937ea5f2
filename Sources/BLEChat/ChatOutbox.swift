import BLESession
import Foundation

/// This side's unacknowledged messages, in order, and how far they are sent.
struct ChatOutbox {
  struct Entry: Equatable {
    let number: UInt32
    let content: Data
    /// The total cost of all messages before it.
    let position: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var octets = 0
  /// The number of the next message.
  private(set) var next: UInt32 = 1
  private var nextPosition = 0
  /// The index of the message being sent, and how many of its octets were.
  private var sending = 0
  private var offset = 0
  /// The furthest place that was ever sent.
  private var furthest = ChatPlace(number: 1, offset: 0)
  /// How far the other side has acknowledged, as a position.
  private var acknowledged = 0

  var isEmpty: Bool { entries.isEmpty }
  /// The number of the first unacknowledged message.
  var first: UInt32 { entries.first?.number ?? next }
  var isExhausted: Bool { next == .max }

  /// Appends a message. Empty content announces that no more follow.
  mutating func append(_ content: Data) -> UInt32 {
    let number = next
    entries.append(Entry(number: number, content: content, position: nextPosition))
    octets += content.count
    next += 1
    nextPosition += content.count + ChatProtocol.messageCost
    return number
  }

  /// The next piece to send, of at most `room` octets; `nil` where there is none, or the window is full.
  mutating func nextPiece(atMost room: Int) -> ChatPiece? {
    guard sending < entries.count else { return nil }
    let entry = entries[sending]
    let open = acknowledged + ChatProtocol.window - (entry.position + offset)
    let count = min(room, entry.content.count - offset, open)
    guard open > 0, count > 0 || entry.content.isEmpty else { return nil }
    let start = entry.content.startIndex + offset
    let piece = ChatPiece(
      place: ChatPlace(number: entry.number, offset: UInt32(offset)), total: UInt32(entry.content.count),
      octets: Data(entry.content[start..<start + count]))
    offset += count
    if offset == entry.content.count { (sending, offset) = (sending + 1, 0) }
    let place = ChatPlace(number: first + UInt32(sending), offset: UInt32(offset))
    if furthest < place { furthest = place }
    return piece
  }

  /// Resumes on a new link at the place that the other side names. Returns the messages that turn out to be delivered.
  ///
  /// If it names nothing, or a place that is impossible, this side starts with its first message: in the second case another device has
  /// used one of the two identifiers, which must not prevent the two sides from talking.
  mutating func resume(at place: ChatPlace) -> [Entry] {
    if place.number >= first, let delivered = try? acknowledge(place) {
      (sending, offset) = (0, Int(place.offset))
      return delivered
    }
    (sending, offset) = (0, 0)
    acknowledged = entries.first?.position ?? nextPosition
    return []
  }

  /// Handles the acknowledgement of everything before `place`. Returns the messages that are delivered by it.
  mutating func acknowledge(_ place: ChatPlace) throws(ChatViolation) -> [Entry] {
    // An older acknowledgement.
    guard place.number >= first else { return [] }
    let count = Int(place.number - first)
    let length = count < entries.count ? entries[count].content.count : 0
    guard !(furthest < place), count <= entries.count, place.offset == 0 || Int(place.offset) < length else {
      throw ChatViolation("the other side acknowledges what was not sent")
    }
    let delivered = Array(entries[..<count])
    drop(count)
    acknowledged = max(acknowledged, (entries.first?.position ?? nextPosition) + Int(place.offset))
    return delivered
  }

  /// Removes the first message, for a partner without frames.
  mutating func removeFirst() -> Entry? {
    guard let entry = entries.first else { return nil }
    drop(1)
    return entry
  }

  /// Removes all messages.
  mutating func removeAll() -> [Entry] {
    let all = entries
    drop(entries.count)
    (sending, offset) = (0, 0)
    return all
  }

  private mutating func drop(_ count: Int) {
    for entry in entries[..<count] { octets -= entry.content.count }
    entries.removeFirst(count)
    acknowledged = max(acknowledged, entries.first?.position ?? nextPosition)
    if sending >= count {
      sending -= count
    } else {
      (sending, offset) = (0, 0)
    }
  }
}
