import CoreBluetooth

/// One step between an application's content and a characteristic value: framing, encryption or a checksum.
///
/// A codec may have state, such as a sequence number or a partial frame. Each connection begins with a fresh copy.
public protocol ValueCodec: Sendable {
  /// Returns the value to send for `content`.
  mutating func encode(_ content: Data) throws -> Data
  /// Returns the contents completed by a received value: none, one or several. Throws if the value is invalid; later ones may be valid.
  mutating func decode(_ value: Data) throws -> [Data]
  /// Discards a partially received frame, after a timeout. Sequence numbers are kept.
  mutating func discardPartialFrame()
  /// Resets all state, for a new connection.
  mutating func reset()
}

extension ValueCodec {
  public mutating func discardPartialFrame() {}
  public mutating func reset() {}
}

/// A chain of codecs; the first is nearest to the application.
public struct CodecChain: ValueCodec {
  private var codecs: [any ValueCodec]

  /// Creates a chain; the first codec is nearest to the application, the last nearest to the characteristic.
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

/// Encodes contents as frames of one type and decodes frames.
public struct FrameCodec: ValueCodec {
  private let type: UInt32
  private var sequence: UInt32 = 0
  private var parser: FrameParser
  private let acceptsOtherTypes: Bool

  /// - Parameters:
  ///   - format: the layout of frames.
  ///   - type: the type of outgoing frames.
  ///   - acceptsOtherTypes: whether incoming frames may have another type.
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

/// XOR with a repeating key, as some vendors use it. It is obfuscation and provides no confidentiality.
public struct ExclusiveOrCodec: ValueCodec {
  private let key: Data

  /// - Throws: `emptyKey`.
  public init(key: Data) throws(ExclusiveOr.LengthError) {
    guard !key.isEmpty else { throw .emptyKey }
    self.key = key
  }

  public func encode(_ content: Data) throws -> Data {
    try ExclusiveOr.combine(content, key, rule: .repeatingKey)
  }

  public func decode(_ value: Data) throws -> [Data] { [try encode(value)] }
}
