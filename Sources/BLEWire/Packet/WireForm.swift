import BLECore

/// How a value is read, written and shown in examples: by its type, or as the field that it stands in demands.
struct WireForm<Value: Sendable>: Sendable {
  let read: @Sendable (inout ByteReader, StaticString) throws(DecodeError) -> Value
  let write: @Sendable (Value, inout ByteWriter) -> Void
  /// At least one. Where the form has several shapes, as octets and none, one of each.
  let examples: [Value]
}

extension WireForm where Value: WireValue {
  /// The form that the type has everywhere.
  static var ofType: Self {
    Self(
      read: { reader, field throws(DecodeError) in try Value(from: &reader, field: field) },
      write: { value, writer in value.encode(into: &writer) }, examples: [.example])
  }
}

extension WireForm where Value: FixedWidthInteger & UnsignedInteger {
  /// The lower octets of the number.
  static func unsigned(octets width: Int) -> Self {
    Self(
      read: { reader, field throws(DecodeError) in
        Value(truncatingIfNeeded: try reader.unsigned(width: width, field))
      },
      write: { value, writer in writer.append(UInt64(value), width: width) }, examples: [0x0123])
  }
}

extension WireForm where Value: TimeUnits {
  /// The lower octets of the number of steps.
  static func unsigned(octets width: Int) -> Self {
    let number = WireForm<Value.RawValue>.unsigned(octets: width)
    return Self(
      read: { reader, field throws(DecodeError) in Value(rawValue: try number.read(&reader, field)) },
      write: { value, writer in number.write(value.rawValue, &writer) }, examples: number.examples.map(Value.init))
  }
}

extension WireForm where Value == ArraySlice<UInt8> {
  /// Exactly `count` octets; when written, cut or filled up with zeros.
  static func octets(_ count: Int) -> Self {
    Self(
      read: { reader, field throws(DecodeError) in try reader.octets(count, field) },
      write: { value, writer in writer.append(contentsOf: value, paddedTo: count) },
      examples: [exampleOctets(count)[...]])
  }

  /// Octets with their number in front, in one octet; more than 255 are cut off when written.
  static func counted(by countField: StaticString) -> Self {
    Self(
      read: { reader, field throws(DecodeError) in try reader.octets(Int(try reader.uint8(countField)), field) },
      write: { value, writer in
        writer.append(UInt8(clamping: value.count))
        writer.append(contentsOf: value.prefix(255))
      }, examples: [exampleOctets(3)[...], []])
  }

  /// Everything up to the end of the packet.
  static var rest: Self { rest(leaving: 0) }

  /// Everything but the last `tail` octets of the packet, which are fields of their own.
  static func rest(leaving tail: Int) -> Self {
    Self(
      read: { reader, field throws(DecodeError) in try reader.octets(max(0, reader.remaining - tail), field) },
      write: { value, writer in writer.append(contentsOf: value) }, examples: [exampleOctets(3)[...], []])
  }
}

extension WireForm where Value == [UInt8] {
  /// Exactly `count` octets; when written, cut or filled up with zeros.
  static func octets(_ count: Int) -> Self {
    Self(
      read: { reader, field throws(DecodeError) in Array(try reader.octets(count, field)) },
      write: { value, writer in writer.append(contentsOf: value, paddedTo: count) }, examples: [exampleOctets(count)])
  }
}

private func exampleOctets(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 + 1) } }

extension WireForm where Value == DeviceAddress {
  /// An address whose kind is the same in all packets of the type.
  static func address(_ kind: DeviceAddress.Kind) -> Self {
    Self(
      read: { reader, field throws(DecodeError) in try reader.deviceAddress(kind: kind, field) },
      write: { value, writer in writer.append(value) },
      examples: [DeviceAddress(kind == .public ? 0x0012_3456_789A : 0x7012_3456_789A, kind: kind)])
  }
}

extension WireForm {
  /// Values one after the other up to the end of the packet.
  static func untilEnd<Element: WireValue>() -> Self where Value == [Element] {
    Self(
      read: { reader, field throws(DecodeError) in
        var values: [Element] = []
        while !reader.isAtEnd { values.append(try Element(from: &reader, field: field)) }
        return values
      },
      write: { values, writer in for value in values { value.encode(into: &writer) } },
      examples: [[.example, .example], []])
  }

  /// Values with their number in front, in one octet. Not more than `limit` are written.
  static func counted<Element: WireValue>(
    by countField: StaticString, limit: Int = 255
  ) -> Self where Value == [Element] {
    Self(
      read: { reader, field throws(DecodeError) in
        try reader.values(Int(try reader.uint8(countField)), field)
      },
      write: { values, writer in
        writer.append(UInt8(Swift.min(values.count, limit)))
        for value in values.prefix(limit) { value.encode(into: &writer) }
      }, examples: [[.example, .example], []])
  }
}
