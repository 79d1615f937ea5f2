import BLECore

/// A field of one octet whose known values have names; any other value is kept as it came.
public protocol HCIOctet: RawRepresentable, Hashable, Sendable where RawValue == UInt8 {
  init(rawValue: UInt8)
}

/// A field of bits, 1 to 8 octets wide, whose known bits have names; unknown bits are kept as they came.
public protocol HCIBitField: OptionSet, Hashable, Sendable
where RawValue: FixedWidthInteger & UnsignedInteger & Sendable {
  /// How many octets the field has on the wire.
  static var width: Int { get }
  init(rawValue: RawValue)
}

extension ByteReader {
  mutating func value<Value: HCIOctet>(_ field: StaticString) throws(DecodeError) -> Value {
    Value(rawValue: try uint8(field))
  }

  mutating func bits<Value: HCIBitField>(_ field: StaticString) throws(DecodeError) -> Value {
    Value(rawValue: Value.RawValue(truncatingIfNeeded: try unsigned(width: Value.width, field)))
  }

  public mutating func connectionHandle(_ field: StaticString) throws(DecodeError) -> ConnectionHandle {
    ConnectionHandle(try uint16(field))
  }

  /// One octet, 0x00 or 0x01.
  mutating func flag(_ field: StaticString) throws(DecodeError) -> Bool {
    let start = self
    let number = try uint8(field)
    guard number <= 1 else { throw start.failure(field, .invalid("0x00 or 0x01, not \(number)")) }
    return number == 1
  }
}

extension ByteWriter {
  mutating func append(_ value: some HCIOctet) { append(value.rawValue) }

  mutating func append<Value: HCIBitField>(_ value: Value) {
    append(UInt64(value.rawValue), width: Value.width)
  }

  public mutating func append(_ handle: ConnectionHandle) { append(handle.rawValue) }

  mutating func append(_ flag: Bool) { append(flag ? 1 : 0 as UInt8) }
}
