import Foundation

/// How a vendor's device wraps what it says: the layout of one frame, as a value.
///
/// ```
/// start | sequence? | type? | length? | payload | check? | end
/// ```
///
/// The fields stand in the order of ``fields``. A format is read from a device description file or written in Swift; both give the
/// same value.
public struct FrameFormat: Sendable, Hashable {
  /// An integer field of a frame.
  public struct Field: Sendable, Hashable {
    /// What the integer says.
    public enum Meaning: String, Sendable, Hashable, CaseIterable {
      /// What kind of frame this is.
      case type
      /// A number that counts up from frame to frame and wraps.
      case sequence
      /// How many octets there are, of what ``FrameFormat/lengthCounts`` says.
      case length
    }

    /// What the field says.
    public var meaning: Meaning
    /// Octets, 1 to 4.
    public var width: Int
    /// The order of its octets.
    public var order: ByteOrder

    /// A field of the head.
    public init(_ meaning: Meaning, width: Int = 1, order: ByteOrder = .littleEndian) {
      self.meaning = meaning
      self.width = width
      self.order = order
    }
  }

  /// What the length field counts.
  public enum LengthCounts: String, Sendable, Hashable, CaseIterable {
    /// The payload alone.
    case payload
    /// All that stands after the length field, the end marker not counted.
    case rest
    /// The whole frame, markers counted.
    case frame
  }

  /// Octets that each frame begins with; may be empty.
  public var start: Data
  /// The fields between start and payload, in their order; each meaning once at the most.
  public var fields: [Field]
  /// What the length field counts.
  public var lengthCounts: LengthCounts
  /// What stands behind the payload to prove it.
  public var check: FrameCheck?
  /// Octets that each frame ends with; may be empty.
  public var end: Data
  /// The longest payload that is believed, in octets.
  public var maximumPayload: Int

  /// Throws what is wrong with the layout.
  public init(
    start: Data = Data(), fields: [Field], lengthCounts: LengthCounts = .payload, check: FrameCheck? = nil,
    end: Data = Data(), maximumPayload: Int = 512
  ) throws(FrameFormatError) {
    self.start = start
    self.fields = fields
    self.lengthCounts = lengthCounts
    self.check = check
    self.end = end
    self.maximumPayload = maximumPayload
    try validate()
  }
}

extension FrameFormat {
  /// Octets in front of the payload.
  var headerLength: Int { start.count + fields.reduce(0) { $0 + $1.width } }
  /// Octets of check and end marker.
  var trailerLength: Int { (check?.width ?? 0) + end.count }

  private func validate() throws(FrameFormatError) {
    guard (0...0xFFFF).contains(maximumPayload) else { throw .maximumPayload(maximumPayload) }
    var seen: Set<Field.Meaning> = []
    for field in fields {
      guard (1...4).contains(field.width) else { throw .fieldWidth(field.meaning, field.width) }
      guard seen.insert(field.meaning).inserted else { throw .fieldTwice(field.meaning) }
    }
    if let check, check.width == nil, case .cyclicRedundancyCheck(let name) = check.algorithm {
      throw .unknownCheck(name)
    }
  }

  /// What the length field says for a payload of that many octets.
  func lengthValue(payload: Int) -> Int { payload + lengthOverhead }

  /// How much more than the payload the length field counts.
  var lengthOverhead: Int {
    switch lengthCounts {
    case .payload: return 0
    case .rest:
      let behind = fields.drop { $0.meaning != .length }.dropFirst()
      return behind.reduce(0) { $0 + $1.width } + (check?.width ?? 0)
    case .frame: return headerLength + trailerLength
    }
  }

  /// The frame as it is sent.
  public func encode(_ frame: Frame) throws(FrameEncodingError) -> Data {
    guard frame.payload.count <= maximumPayload else {
      throw .payloadTooLong(octets: frame.payload.count, maximum: maximumPayload)
    }
    var octets = start
    octets.reserveCapacity(headerLength + frame.payload.count + trailerLength)
    for field in fields {
      let value =
        switch field.meaning {
        case .type: frame.type
        case .sequence: frame.sequence
        case .length: UInt32(lengthValue(payload: frame.payload.count))
        }
      guard field.width == 4 || value >> (8 * UInt32(field.width)) == 0 else { throw .doesNotFit(field.meaning, value) }
      octets.append(value.octets(width: field.width, order: field.order))
    }
    octets.append(frame.payload)
    if let check {
      octets.append(check.octets(of: covered(by: check, in: octets, payload: frame.payload.count)))
    }
    octets.append(end)
    return octets
  }

  /// The part of `octets`, which end with the payload, that a check covers.
  func covered<Octets: BidirectionalCollection<UInt8>>(
    by check: FrameCheck, in octets: Octets, payload: Int
  ) -> Octets.SubSequence {
    switch check.covers {
    case .payload: octets.suffix(payload)
    case .fieldsAndPayload: octets.dropFirst(start.count)
    case .everything: octets[...]
    }
  }

  /// The value behind `sequence`, wrapped as the field wraps.
  public func sequence(after sequence: UInt32) -> UInt32 {
    guard let field = fields.first(where: { $0.meaning == .sequence }), field.width < 4 else { return sequence &+ 1 }
    return (sequence &+ 1) & (1 << (8 * UInt32(field.width)) - 1)
  }
}
