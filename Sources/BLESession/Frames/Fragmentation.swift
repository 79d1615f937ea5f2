import Foundation

/// One piece of a message that is longer than one characteristic value.
///
/// Encoding: the message's number (2 octets, least significant first), the piece's index, with the highest bit set on the last piece
/// (2 octets, least significant first), then the piece.
public struct Fragment: Sendable, Hashable {
  /// The header of each piece, in octets.
  public static let headerLength = 4
  /// The most pieces of a message.
  public static let maximumCount = 0x8000

  /// The number of the message.
  public var message: UInt16
  /// The index of the piece, 0 to 32,767.
  public var place: UInt16
  /// Whether this is the last piece of the message.
  public var isLast: Bool
  /// The content of the piece.
  public var piece: Data

  /// Creates a piece of a message.
  public init(message: UInt16, place: UInt16, isLast: Bool, piece: Data) {
    self.message = message
    self.place = place & 0x7FFF
    self.isLast = isLast
    self.piece = piece
  }

  /// Decodes a characteristic value; `nil` if it is shorter than a header.
  public init?(_ value: Data) {
    let octets = Array(value)
    guard octets.count >= Self.headerLength,
      let message = UInt16(octets: octets[0..<2], order: .littleEndian),
      let place = UInt16(octets: octets[2..<4], order: .littleEndian)
    else { return nil }
    self.init(message: message, place: place, isLast: place & 0x8000 != 0, piece: Data(octets[4...]))
  }

  /// The encoded characteristic value.
  public var value: Data {
    var octets = message.octets(order: .littleEndian)
    octets.append((place | (isLast ? 0x8000 : 0)).octets(order: .littleEndian))
    octets.append(piece)
    return octets
  }

  /// Splits a message into pieces whose values have at most `maximumLength` octets, including the header. Returns `nil` if that is not more
  /// than the header, or if the message needs more than 32,768 pieces.
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

/// Reassembles messages from pieces that arrive in order, repeatedly, or not at all.
public struct Reassembler: Sendable {
  /// The result of one piece.
  public enum Outcome: Sendable, Hashable {
    /// More pieces are expected.
    case incomplete
    /// A message is complete.
    case message(number: UInt16, content: Data)
    /// The piece was received before, or belongs to a message that was discarded; nothing changes.
    case repeated
    /// A piece before this one is missing: the message is discarded.
    case gap(number: UInt16, expected: UInt16, found: UInt16)
    /// The message exceeds `maximumLength`: it is discarded.
    case tooLong(number: UInt16)
  }

  /// The longest accepted message, in octets.
  public let maximumLength: Int
  private var number: UInt16?
  private var next: UInt16 = 0
  private var content = Data()
  private var completed: UInt16?
  /// The message whose remaining pieces are ignored.
  private var abandoned: UInt16?

  /// Creates a reassembler for messages of at most `maximumLength` octets.
  public init(maximumLength: Int = 1 << 20) {
    self.maximumLength = maximumLength
  }

  /// Processes the next piece. The first piece of another message discards an incomplete one.
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
      // A message has at most 32,768 pieces, so this one had to be the last.
      if Int(next) == Fragment.maximumCount { abandon() }
      return .incomplete
    }
    completed = fragment.message
    defer { begin(nil) }
    return .message(number: fragment.message, content: content)
  }

  /// Discards all pieces, for a new connection. The last complete message stays known, so that its repetition is not taken for a new one.
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
