import Foundation

/// The layout of a vendor's frames, as a value.
///
/// ```
/// start | sequence? | type? | length? | payload | check? | end
/// ```
///
/// The order of the fields is that of ``fields``. A format from a device description file and one written in Swift are the same
/// value.
public struct FrameFormat: Sendable, Hashable {
  /// An integer field of a frame.
  public struct Field: Sendable, Hashable {
    /// The meaning of the integer.
    public enum Meaning: String, Sendable, Hashable, CaseIterable {
      /// The type of the frame.
      case type
      /// A counter that increments with each frame and wraps.
      case sequence
      /// The number of octets of the part that ``FrameFormat/lengthCounts`` selects.
      case length
    }

    /// The meaning of the field.
    public var meaning: Meaning
    /// The length of the field in octets, 1 to 4.
    public var width: Int
    /// The octet order of the field.
    public var order: ByteOrder

    /// Creates a header field.
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
    /// Everything after the length field except the end marker.
    case rest
    /// The whole frame including both markers.
    case frame
  }

  /// The start marker; may be empty.
  public var start: Data
  /// The fields between start marker and payload, in their order; each meaning at most once.
  public var fields: [Field]
  /// What the length field counts.
  public var lengthCounts: LengthCounts
  /// The check after the payload.
  public var check: FrameCheck?
  /// The end marker; may be empty.
  public var end: Data
  /// The longest accepted payload, in octets.
  public var maximumPayload: Int

  /// - Throws: `FrameFormatError` if the layout is invalid.
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
  /// The octets before the payload.
  var headerLength: Int { start.count + fields.reduce(0) { $0 + $1.width } }
  /// The octets of check and end marker.
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

  /// Returns the value of the length field for a payload of `payload` octets.
  func lengthValue(payload: Int) -> Int { payload + lengthOverhead }

  /// The number of octets that the length field counts in addition to the payload.
  var lengthOverhead: Int {
    switch lengthCounts {
    case .payload: return 0
    case .rest:
      let behind = fields.drop { $0.meaning != .length }.dropFirst()
      return behind.reduce(0) { $0 + $1.width } + (check?.width ?? 0)
    case .frame: return headerLength + trailerLength
    }
  }

  /// Returns the encoded frame.
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

  /// Returns the part of `octets`, which end with the payload, that a check covers.
  func covered<Octets: BidirectionalCollection<UInt8>>(
    by check: FrameCheck, in octets: Octets, payload: Int
  ) -> Octets.SubSequence {
    switch check.covers {
    case .payload: octets.suffix(payload)
    case .fieldsAndPayload: octets.dropFirst(start.count)
    case .everything: octets[...]
    }
  }

  /// Returns the sequence number after `sequence`, wrapped to the width of the field.
  public func sequence(after sequence: UInt32) -> UInt32 {
    guard let field = fields.first(where: { $0.meaning == .sequence }), field.width < 4 else { return sequence &+ 1 }
    return (sequence &+ 1) & (1 << (8 * UInt32(field.width)) - 1)
  }
}
