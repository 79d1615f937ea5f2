import BLECore

/// A field of bits, 1 to 8 octets wide, whose known bits have names; unknown bits are kept as they came.
public protocol HCIBitField: OptionSet, Hashable, Sendable
where RawValue: FixedWidthInteger & UnsignedInteger & Sendable {
  /// How many octets the field has on the wire.
  static var width: Int { get }
  init(rawValue: RawValue)
}

extension WireValue where Self: HCIBitField {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    self.init(rawValue: RawValue(truncatingIfNeeded: try reader.unsigned(width: Self.width, field)))
  }

  func encode(into writer: inout ByteWriter) { writer.append(UInt64(rawValue), width: Self.width) }
  static var example: Self { Self(rawValue: 1) }
}

extension ByteWriter {
  public mutating func append(_ handle: ConnectionHandle) { append(handle.rawValue) }
}
