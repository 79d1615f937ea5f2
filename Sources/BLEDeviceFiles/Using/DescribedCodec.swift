import BLESession
import CoreBluetooth

/// The codec of a description: converts between messages and values on the air.
///
/// Its content is a message as octets: the type, if frames have one, most significant octet first and as wide as the frames' field, then
/// the payload.
struct DescribedCodec: ValueCodec {
  private let plan: DescribedCodecPlan
  private var inner: CodecChain
  private var outer: CodecChain
  private var parser: FrameParser?
  private var numbers: SequenceNumbers

  /// - Parameter numbers: the source of the frames' sequence numbers; codecs of one connection share it.
  /// - Throws: `CryptographyError` for invalid keys, `SessionError` if cryptography is needed and missing.
  init(
    _ plan: DescribedCodecPlan, numbers: SequenceNumbers, cryptography: (any SessionCryptography)?
  ) throws {
    self.plan = plan
    self.numbers = numbers
    inner = CodecChain(try plan.inner.map { try $0.codec(cryptography) })
    outer = CodecChain(try plan.outer.map { try $0.codec(cryptography) })
    parser = plan.frame.map { FrameParser(format: $0) }
  }

  /// A copy with its own sequence numbers.
  func withOwnNumbers() -> DescribedCodec {
    var copy = self
    copy.numbers = SequenceNumbers()
    return copy
  }

  func content(of message: DescribedMessage) -> Data {
    guard let field = plan.typeField else { return message.payload }
    return (message.type ?? 0).octets(width: field.width, order: .bigEndian) + message.payload
  }

  func message(of content: Data) -> DescribedMessage {
    guard let field = plan.typeField else { return DescribedMessage(payload: content) }
    let type = UInt32(octets: content.prefix(field.width), order: .bigEndian)
    return DescribedMessage(type: type ?? 0, payload: Data(content.dropFirst(field.width)))
  }

  mutating func encode(_ content: Data) throws -> Data {
    let message = message(of: content)
    let payload = try inner.encode(message.payload)
    guard let frame = plan.frame else { return try outer.encode(payload) }
    let sequence = numbers.next(in: frame)
    return try outer.encode(
      frame.encode(Frame(type: message.type ?? 0, sequence: sequence, payload: payload)))
  }

  /// Damaged frames are omitted; the next one may be valid.
  mutating func decode(_ value: Data) throws -> [Data] { read(value).messages.map { content(of: $0) } }

  /// The messages that a value completes, and the number of damaged ones.
  mutating func read(_ value: Data) -> (messages: [DescribedMessage], rejected: Int) {
    guard let contents = try? outer.decode(value) else { return ([], 1) }
    var messages: [DescribedMessage] = []
    var rejected = 0
    for content in contents {
      guard parser != nil else {
        add(content, type: nil, to: &messages, &rejected)
        continue
      }
      for finding in parser?.append(content) ?? [] {
        switch finding {
        case .frame(let frame): add(frame.payload, type: frame.type, to: &messages, &rejected)
        case .rejected: rejected += 1
        }
      }
    }
    return (messages, rejected)
  }

  private mutating func add(
    _ payload: Data, type: UInt32?, to messages: inout [DescribedMessage], _ rejected: inout Int
  ) {
    guard let payloads = try? inner.decode(payload) else {
      rejected += 1
      return
    }
    let isTyped = plan.typeField != nil
    messages += payloads.map { DescribedMessage(type: isTyped ? type : nil, payload: $0) }
  }

  mutating func discardPartialFrame() {
    inner.discardPartialFrame()
    outer.discardPartialFrame()
    _ = parser?.reset()
  }

  mutating func reset() {
    inner.reset()
    outer.reset()
    _ = parser?.reset()
  }
}

/// The sequence numbers of one connection.
final class SequenceNumbers: Sendable {
  private let value = Guarded<UInt32>(0)

  func next(in format: FrameFormat) -> UInt32 {
    value.with { value in
      defer { value = format.sequence(after: value) }
      return value
    }
  }

  func reset() { value.with { $0 = 0 } }
}

extension DescribedCodecPlan.Step {
  fileprivate func codec(_ cryptography: (any SessionCryptography)?) throws -> any ValueCodec {
    switch self {
    case .exclusiveOr(let key): return try ExclusiveOrCodec(key: key)
    case .modulo(let factor, let summand):
      guard let codec = ModuloCodec(factor: factor, summand: summand) else {
        throw SessionError(.invalid, "an even factor can't be inverted")
      }
      return codec
    case .cipher(let mode, let key, let pads):
      guard let cryptography else {
        throw SessionError(.notSupported, "the device's values are encrypted, and no cryptography was given")
      }
      return try CipherCodec(cryptography: cryptography, mode: mode, key: key, pads: pads)
    }
  }
}
