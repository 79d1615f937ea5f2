/// A cursor over the octets of one packet, little-endian as all of Bluetooth on the air.
///
/// The slices that it returns share the packet's storage: nothing is copied.
public struct ByteReader {
  private let octets: ArraySlice<UInt8>
  private var cursor: Int
  /// The name of the layer in the errors that this reader throws.
  public let layer: String

  public init(_ octets: ArraySlice<UInt8>, layer: String) {
    self.octets = octets
    self.cursor = octets.startIndex
    self.layer = layer
  }

  public init(_ octets: [UInt8], layer: String) {
    self.init(octets[...], layer: layer)
  }

  /// The number of octets read so far.
  public var offset: Int { consumed }
  /// The number of octets left.
  public var remaining: Int { octets.endIndex - cursor }
  public var isAtEnd: Bool { cursor == octets.endIndex }
  private var consumed: Int { cursor - octets.startIndex }

  public mutating func uint8(_ field: StaticString) throws(DecodeError) -> UInt8 {
    try require(1, field)
    let value = octets[cursor]
    cursor += 1
    return value
  }

  public mutating func int8(_ field: StaticString) throws(DecodeError) -> Int8 {
    Int8(bitPattern: try uint8(field))
  }

  public mutating func uint16(_ field: StaticString) throws(DecodeError) -> UInt16 {
    try require(2, field)
    let value = UInt16(octets[cursor]) | UInt16(octets[cursor + 1]) << 8
    cursor += 2
    return value
  }

  public mutating func uint24(_ field: StaticString) throws(DecodeError) -> UInt32 {
    UInt32(truncatingIfNeeded: try unsigned(width: 3, field))
  }

  public mutating func uint32(_ field: StaticString) throws(DecodeError) -> UInt32 {
    UInt32(truncatingIfNeeded: try unsigned(width: 4, field))
  }

  public mutating func uint64(_ field: StaticString) throws(DecodeError) -> UInt64 {
    try unsigned(width: 8, field)
  }

  /// Reads an unsigned number of `width` octets, 1 to 8.
  public mutating func unsigned(width: Int, _ field: StaticString) throws(DecodeError) -> UInt64 {
    try require(width, field)
    var value: UInt64 = 0
    for index in 0..<width {
      value |= UInt64(octets[cursor + index]) << (8 * UInt64(index))
    }
    cursor += width
    return value
  }

  /// Reads the next `count` octets; the slice shares the packet's storage.
  public mutating func octets(_ count: Int, _ field: StaticString) throws(DecodeError) -> ArraySlice<UInt8> {
    try require(count, field)
    let slice = octets[cursor..<cursor + count]
    cursor += count
    return slice
  }

  /// Reads all octets left, possibly none.
  public mutating func rest() -> ArraySlice<UInt8> {
    let slice = octets[cursor...]
    cursor = octets.endIndex
    return slice
  }

  public mutating func skip(_ count: Int, _ field: StaticString) throws(DecodeError) {
    try require(count, field)
    cursor += count
  }

  /// Throws if octets are left over.
  public func finish() throws(DecodeError) {
    if !isAtEnd { throw failure("end", .trailing(count: remaining)) }
  }

  /// An error of this reader at its current position.
  public func failure(_ field: StaticString, _ reason: DecodeError.Reason) -> DecodeError {
    DecodeError(layer: layer, field: "\(field)", offset: consumed, reason: reason, octets: octets)
  }

  private func require(_ count: Int, _ field: StaticString) throws(DecodeError) {
    if count < 0 || remaining < count {
      throw failure(field, .truncated(needed: count, available: remaining))
    }
  }
}
