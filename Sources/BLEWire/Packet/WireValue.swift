import BLECore

/// A value that has one form wherever it stands in a packet: how it is read, written and shown in an example.
protocol WireValue: Sendable {
  /// Reads the value; `field` is what an error calls it.
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError)
  func encode(into writer: inout ByteWriter)
  /// Any value that can be written.
  static var example: Self { get }
}

extension UInt8: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) { self = try reader.uint8(field) }
  func encode(into writer: inout ByteWriter) { writer.append(self) }
  static var example: Self { 0x05 }
}

extension Int8: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) { self = try reader.int8(field) }
  func encode(into writer: inout ByteWriter) { writer.append(self) }
  static var example: Self { -60 }
}

extension UInt16: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) { self = try reader.uint16(field) }
  func encode(into writer: inout ByteWriter) { writer.append(self) }
  static var example: Self { 0x0123 }
}

extension Int16: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    self.init(bitPattern: try reader.uint16(field))
  }

  func encode(into writer: inout ByteWriter) { writer.append(UInt16(bitPattern: self)) }
  static var example: Self { -60 }
}

extension UInt32: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) { self = try reader.uint32(field) }
  func encode(into writer: inout ByteWriter) { writer.append(self) }
  static var example: Self { 0x0123_4567 }
}

extension UInt64: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) { self = try reader.uint64(field) }
  func encode(into writer: inout ByteWriter) { writer.append(self) }
  static var example: Self { 0x0123_4567_89AB_CDEF }
}

/// One octet, 0x00 or 0x01.
extension Bool: WireValue {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    let start = reader
    let number = try reader.uint8(field)
    guard number <= 1 else { throw start.failure(field, .invalid("0x00 or 0x01, not \(number)")) }
    self = number == 1
  }

  func encode(into writer: inout ByteWriter) { writer.append(self ? 1 : 0 as UInt8) }
  static var example: Self { true }
}

/// A type that is nothing but a number, known or not, and travels as that number.
protocol WireNumber: WireValue, RawRepresentable where RawValue: WireValue {
  init(rawValue: RawValue)
}

extension WireNumber {
  init(from reader: inout ByteReader, field: StaticString) throws(DecodeError) {
    self.init(rawValue: try RawValue(from: &reader, field: field))
  }

  func encode(into writer: inout ByteWriter) { rawValue.encode(into: &writer) }
}

extension WireNumber where RawValue: ExpressibleByIntegerLiteral {
  /// 1, which has a meaning in nearly all families of codes.
  static var example: Self { Self(rawValue: 1) }
}

extension WireNumber where Self: TimeUnits {
  static var example: Self { Self(rawValue: 96) }
}

extension AttributeHandle: WireNumber {
  static var example: Self { Self(0x0003) }
}

extension ChannelIdentifier: WireNumber {
  static var example: Self { Self(0x0040) }
}

extension ConnectionHandle: WireNumber {
  static var example: Self { Self(0x0040) }
}

extension ProtocolServiceMultiplexer: WireNumber {
  static var example: Self { Self(0x0080) }
}

extension ByteReader {
  mutating func value<Value: WireValue>(_ field: StaticString) throws(DecodeError) -> Value {
    try Value(from: &self, field: field)
  }

  /// `count` values one after the other.
  mutating func values<Value: WireValue>(_ count: Int, _ field: StaticString) throws(DecodeError) -> [Value] {
    var values: [Value] = []
    for _ in 0..<count { values.append(try value(field)) }
    return values
  }
}

extension ByteWriter {
  mutating func append(_ value: some WireValue) { value.encode(into: &self) }
}
