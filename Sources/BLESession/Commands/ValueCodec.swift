import CoreBluetooth

/// One step between what an application means and what goes over the air: a frame, a cipher, a check.
///
/// A codec may remember things, such as a sequence number or the beginning of a frame; it starts afresh on each connection, as a copy.
public protocol ValueCodec: Sendable {
  /// What goes out for `content`.
  mutating func encode(_ content: Data) throws -> Data
  /// What came in with one value: nothing yet, one content, or several. Throws where the value is not acceptable; the next one may be.
  mutating func decode(_ value: Data) throws -> [Data]
  /// Drops what has begun to come and does not go on: after silence. What is numbered stays numbered.
  mutating func discardPartialFrame()
  /// Forgets everything: a new connection begins.
  mutating func reset()
}

extension ValueCodec {
  public mutating func discardPartialFrame() {}
  public mutating func reset() {}
}

/// Several codecs, one around the other: the first is nearest to the application.
public struct CodecChain: ValueCodec {
  private var codecs: [any ValueCodec]

  /// The first is nearest to the contents, the last nearest to the air.
  public init(_ codecs: [any ValueCodec] = []) { self.codecs = codecs }

  public mutating func encode(_ content: Data) throws -> Data {
    var value = content
    for index in codecs.indices { value = try codecs[index].encode(value) }
    return value
  }

  public mutating func decode(_ value: Data) throws -> [Data] {
    var contents = [value]
    for index in codecs.indices.reversed() {
      var next: [Data] = []
      for content in contents { next += try codecs[index].decode(content) }
      contents = next
    }
    return contents
  }

  public mutating func discardPartialFrame() {
    for index in codecs.indices { codecs[index].discardPartialFrame() }
  }

  public mutating func reset() {
    for index in codecs.indices { codecs[index].reset() }
  }
}

/// Wraps contents into frames of one type, and takes them out again.
public struct FrameCodec: ValueCodec {
  private let type: UInt32
  private var sequence: UInt32 = 0
  private var parser: FrameParser
  private let acceptsOtherTypes: Bool

  /// - Parameters:
  ///   - format: what frames look like.
  ///   - type: what outgoing frames say they are.
  ///   - acceptsOtherTypes: whether incoming frames may be of another type.
  public init(format: FrameFormat, type: UInt32 = 0, acceptsOtherTypes: Bool = true) {
    self.type = type
    self.acceptsOtherTypes = acceptsOtherTypes
    parser = FrameParser(format: format)
  }

  public mutating func encode(_ content: Data) throws -> Data {
    defer { sequence = parser.format.sequence(after: sequence) }
    return try parser.format.encode(Frame(type: type, sequence: sequence, payload: content))
  }

  public mutating func decode(_ value: Data) throws -> [Data] {
    parser.append(value).compactMap { finding in
      guard case .frame(let frame) = finding, acceptsOtherTypes || frame.type == type else { return nil }
      return frame.payload
    }
  }

  public mutating func discardPartialFrame() { _ = parser.reset() }

  public mutating func reset() {
    sequence = 0
    _ = parser.reset()
  }
}

/// The vendors' scheme of combining everything with a key that repeats. It hides nothing from anybody who looks twice.
public struct ExclusiveOrCodec: ValueCodec {
  private let key: Data

  /// Throws where the key has no octets.
  public init(key: Data) throws(ExclusiveOr.LengthError) {
    guard !key.isEmpty else { throw .emptyKey }
    self.key = key
  }

  public func encode(_ content: Data) throws -> Data {
    try ExclusiveOr.combine(content, key, rule: .repeatingKey)
  }

  public func decode(_ value: Data) throws -> [Data] { [try encode(value)] }
}
