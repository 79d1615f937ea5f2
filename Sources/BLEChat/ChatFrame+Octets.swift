import BLESession
import Foundation

extension ChatFrame {
  private enum Kind {
    static let hello: UInt8 = 0x01
    static let commitment: UInt8 = 0x02
    static let key: UInt8 = 0x03
    static let resume: UInt8 = 0x04
    static let piece: UInt8 = 0x05
    static let acknowledgement: UInt8 = 0x06
    static let goodbye: UInt8 = 0x07
    static let sealed: UInt8 = 0x08
    /// Unknown frames of this kind or a higher one are ignored.
    static let optional: UInt8 = 0x80
  }

  /// The octets of the frame, without its length.
  var octets: Data {
    switch self {
    case .hello(let hello):
      Data([Kind.hello, hello.version, hello.flags.rawValue]) + Self.octets(hello.identifier)
        + Self.octets(hello.keys) + Data(hello.name.utf8)
    case .commitment(let value): Data([Kind.commitment]) + value
    case .key(let value): Data([Kind.key]) + value
    case .resume(let resume):
      Data([Kind.resume]) + Self.octets(resume.expected) + Self.octets(resume.first) + Self.octets(resume.next)
    case .piece(let piece):
      Data([Kind.piece]) + Self.octets(piece.place) + Self.octets(piece.total) + piece.octets
    case .acknowledgement(let place): Data([Kind.acknowledgement]) + Self.octets(place)
    case .goodbye(let reason): Data([Kind.goodbye, reason.rawValue])
    case .sealed(let value): Data([Kind.sealed]) + value
    case .unknown(let kind): Data([kind])
    }
  }

  init(octets: Data) throws(ChatViolation) {
    var fields = Fields(octets)
    let kind = try fields.next(UInt8.self)
    switch kind {
    case Kind.hello:
      let version = try fields.next(UInt8.self)
      let flags = ChatHello.Flags(rawValue: try fields.next(UInt8.self))
      let identifier = try fields.next(UInt64.self)
      guard identifier != 0 else { throw ChatViolation("a hello without an identifier") }
      guard version == ChatProtocol.version else {
        // All versions have the same beginning, so that each can recognize a different one.
        self = .hello(ChatHello(version: version, flags: flags, identifier: identifier, name: ""))
        return
      }
      let keys = try fields.next(UInt64.self)
      let name = fields.rest()
      guard name.count <= ChatProtocol.longestName else { throw ChatViolation("a name of \(name.count) octets") }
      self = .hello(
        ChatHello(
          version: version, flags: flags, identifier: identifier, keys: keys,
          name: String(decoding: name, as: UTF8.self)))
    case Kind.commitment: self = .commitment(try fields.rest(of: 32))
    case Kind.key: self = .key(try fields.rest(of: 32))
    case Kind.resume:
      self = .resume(
        ChatResume(
          expected: try fields.place(), first: try fields.next(UInt32.self), next: try fields.next(UInt32.self)))
      try fields.end()
    case Kind.piece:
      let (place, total) = (try fields.place(), try fields.next(UInt32.self))
      self = .piece(ChatPiece(place: place, total: total, octets: fields.rest()))
    case Kind.acknowledgement:
      self = .acknowledgement(try fields.place())
      try fields.end()
    case Kind.goodbye:
      // An unknown reason of a later version still is a goodbye.
      self = .goodbye(ChatGoodbye(rawValue: try fields.next(UInt8.self)) ?? .leaving)
    case Kind.sealed: self = .sealed(fields.rest())
    case Kind.optional...: self = .unknown(kind)
    default: throw ChatViolation("a frame of the unknown kind \(kind)")
    }
  }

  private static func octets(_ value: some FixedWidthInteger) -> Data { value.octets(order: .littleEndian) }
  private static func octets(_ place: ChatPlace) -> Data { octets(place.number) + octets(place.offset) }
}

/// Reads the octets of a frame from the front.
private struct Fields {
  private var left: Data

  init(_ octets: Data) { left = octets }

  mutating func next<Value: FixedWidthInteger>(_ type: Value.Type) throws(ChatViolation) -> Value {
    let width = Value.bitWidth / 8
    guard left.count >= width, let value = Value(octets: left.prefix(width), order: .littleEndian) else {
      throw ChatViolation("a frame is cut off")
    }
    left = left.dropFirst(width)
    return value
  }

  mutating func place() throws(ChatViolation) -> ChatPlace {
    ChatPlace(number: try next(UInt32.self), offset: try next(UInt32.self))
  }

  mutating func rest() -> Data {
    defer { left = Data() }
    return Data(left)
  }

  mutating func rest(of count: Int) throws(ChatViolation) -> Data {
    guard left.count == count else { throw ChatViolation("a frame has \(left.count) octets where \(count) belong") }
    return rest()
  }

  func end() throws(ChatViolation) {
    guard left.isEmpty else { throw ChatViolation("a frame has \(left.count) octets too many") }
  }
}
