import Foundation

/// One piece of a message that is longer than one value on the air.
///
/// On the air: the message's number (2 octets, least significant first), the piece's place with the highest bit set on the last one
/// (2 octets, least significant first), then the piece itself.
public struct Fragment: Sendable, Hashable {
  /// Octets in front of each piece.
  public static let headerLength = 4
  /// The most pieces of one message.
  public static let maximumCount = 0x8000

  /// The number of the message that it is a part of.
  public var message: UInt16
  /// From 0 to 32,767.
  public var place: UInt16
  /// Whether the message ends with it.
  public var isLast: Bool
  /// Its part of the message.
  public var piece: Data

  /// A part of a message.
  public init(message: UInt16, place: UInt16, isLast: Bool, piece: Data) {
    self.message = message
    self.place = place & 0x7FFF
    self.isLast = isLast
    self.piece = piece
  }

  /// Reads one value off the air; `nil` if it is shorter than a header.
  public init?(_ value: Data) {
    let octets = Array(value)
    guard octets.count >= Self.headerLength,
      let message = UInt16(octets: octets[0..<2], order: .littleEndian),
      let place = UInt16(octets: octets[2..<4], order: .littleEndian)
    else { return nil }
    self.init(message: message, place: place, isLast: place & 0x8000 != 0, piece: Data(octets[4...]))
  }

  /// The value as it goes on the air.
  public var value: Data {
    var octets = message.octets(order: .littleEndian)
    octets.append((place | (isLast ? 0x8000 : 0)).octets(order: .littleEndian))
    octets.append(piece)
    return octets
  }

  /// Cuts a message into pieces that fit into values of `maximumLength` octets, header included. `nil` if the values are too short
  /// for the header and one octet more, or the message too long for 32,768 pieces.
  public static func split(_ content: Data, message: UInt16, maximumLength: Int) -> [Fragment]? {
    let room = maximumLength - headerLength
    guard room > 0 else { return nil }
    let count = max(1, (content.count + room - 1) / room)
    guard count <= maximumCount else { return nil }
    return (0..<count).map { index in
      let from = content.startIndex + index * room
      return Fragment(
        message: message, place: UInt16(index), isLast: index == count - 1,
        piece: Data(content[from..<min(from + room, content.endIndex)]))
    }
  }
}

/// Puts messages together again from pieces that come in order, twice, or not at all.
public struct Reassembler: Sendable {
  /// What a piece led to.
  public enum Outcome: Sendable, Hashable {
    /// More pieces are expected.
    case incomplete
    /// A message is whole.
    case message(number: UInt16, content: Data)
    /// A piece that was there already; nothing changes.
    case repeated
    /// A piece before this one is missing: the message is given up.
    case gap(number: UInt16, expected: UInt16, found: UInt16)
    /// The message is longer than is accepted: it is given up.
    case tooLong(number: UInt16)
  }

  /// The longest message that is accepted, in octets.
  public let maximumLength: Int
  private var number: UInt16?
  private var next: UInt16 = 0
  private var content = Data()
  private var completed: UInt16?
  /// The message whose rest is of no interest any more.
  private var abandoned: UInt16?

  /// Messages may have as many octets as that.
  public init(maximumLength: Int = 1 << 20) {
    self.maximumLength = maximumLength
  }

  /// Takes the next piece. The first piece of another message gives up one that is not complete.
  public mutating func append(_ fragment: Fragment) -> Outcome {
    if fragment.message == completed { return .repeated }
    if fragment.message != number {
      if fragment.message == abandoned, fragment.place != 0 { return .repeated }
      begin(fragment.message)
    }
    guard fragment.place >= next else { return .repeated }
    guard fragment.place == next else {
      abandon()
      return .gap(number: fragment.message, expected: next, found: fragment.place)
    }
    guard content.count + fragment.piece.count <= maximumLength else {
      abandon()
      return .tooLong(number: fragment.message)
    }
    content.append(fragment.piece)
    next += 1
    guard fragment.isLast else {
      // 32,768 pieces are the most there can be, and the last of them must say that it is the last.
      if Int(next) == Fragment.maximumCount { abandon() }
      return .incomplete
    }
    completed = fragment.message
    defer { begin(nil) }
    return .message(number: fragment.message, content: content)
  }

  /// Forgets all pieces, for a new connection. What was complete stays known, so that a repeated message is not taken for a new one.
  public mutating func reset() { begin(nil) }

  private mutating func begin(_ message: UInt16?) {
    number = message
    next = 0
    content = Data()
  }

  private mutating func abandon() {
    abandoned = number
    number = nil
    content = Data()
  }
}
