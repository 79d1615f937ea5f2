import BLECore

/// Reads one attribute (Core, Vol 3 Part F 3.4.4.3).
public struct ATTReadRequest: ATTPacket {
  public static let opcode = ATTOpcode.readRequest

  public var attributeHandle: AttributeHandle

  public init(attributeHandle: AttributeHandle) { self.attributeHandle = attributeHandle }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    attributeHandle = try reader.attributeHandle("Attribute Handle")
  }

  public func encode(into writer: inout ByteWriter) { writer.append(attributeHandle) }

  public static var examples: [Self] { [Self(attributeHandle: AttributeHandle(0x0102))] }
}

/// The value, or its first ATT_MTU - 1 octets (Core, Vol 3 Part F 3.4.4.4).
public struct ATTReadResponse: ATTPacket {
  public static let opcode = ATTOpcode.readResponse

  public var attributeValue: ArraySlice<UInt8>

  public init(attributeValue: ArraySlice<UInt8>) { self.attributeValue = attributeValue }

  public init(from reader: inout ByteReader) throws(DecodeError) { attributeValue = reader.rest() }

  public func encode(into writer: inout ByteWriter) { writer.append(contentsOf: attributeValue) }

  public static var examples: [Self] { [Self(attributeValue: []), Self(attributeValue: [1, 2, 3])] }
}

/// Reads one attribute from an offset on (Core, Vol 3 Part F 3.4.4.5).
public struct ATTReadBlobRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readBlobRequest

  public var attributeHandle: AttributeHandle
  /// Octets.
  public var valueOffset: UInt16

  public init(attributeHandle: AttributeHandle, valueOffset: UInt16) {
    self.attributeHandle = attributeHandle
    self.valueOffset = valueOffset
  }

  static let layout = Layout(
    Self.init, Field("Attribute Handle", \.attributeHandle), Field("Value Offset", \.valueOffset))
}

/// The value from the offset on, or its next ATT_MTU - 1 octets (Core, Vol 3 Part F 3.4.4.6).
public struct ATTReadBlobResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readBlobResponse

  public var partAttributeValue: ArraySlice<UInt8>

  public init(partAttributeValue: ArraySlice<UInt8>) { self.partAttributeValue = partAttributeValue }

  static let layout = Layout(Self.init, Field("Part Attribute Value", \.partAttributeValue, .rest))
}
