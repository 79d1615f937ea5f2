import BLECore

/// Reads the attributes of one type in a range (Core, Vol 3 Part F 3.4.4.1).
public struct ATTReadByTypeRequest: ATTPacket {
  public static let opcode = ATTOpcode.readByTypeRequest

  public var startingHandle: AttributeHandle
  public var endingHandle: AttributeHandle
  /// 16 or 128 bits wide.
  public var attributeType: BLEUUID

  public init(startingHandle: AttributeHandle, endingHandle: AttributeHandle, attributeType: BLEUUID) {
    self.startingHandle = startingHandle
    self.endingHandle = endingHandle
    self.attributeType = attributeType
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    startingHandle = try reader.attributeHandle("Starting Handle")
    endingHandle = try reader.attributeHandle("Ending Handle")
    attributeType = try reader.attributeType("Attribute Type")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(startingHandle)
    writer.append(endingHandle)
    writer.append(attributeType)
  }

  public static var examples: [Self] {
    [
      Self(startingHandle: .first, endingHandle: .last, attributeType: BLEUUID(0x2803)),
      Self(
        startingHandle: AttributeHandle(7), endingHandle: AttributeHandle(9),
        attributeType: BLEUUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98)),
    ]
  }
}

/// Handles with their values, all of one length (Core, Vol 3 Part F 3.4.4.2).
public struct ATTReadByTypeResponse: ATTPacket {
  public static let opcode = ATTOpcode.readByTypeResponse

  /// One attribute and its value, or the value's beginning where it did not fit.
  public struct AttributeData: ATTListEntry {
    public let attributeHandle: AttributeHandle
    public let attributeValue: ArraySlice<UInt8>
    public static let minimumLength = 2

    public init(attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>) {
      self.attributeHandle = attributeHandle
      self.attributeValue = attributeValue
    }

    public init(entry octets: ArraySlice<UInt8>) {
      attributeHandle = AttributeHandle(octets.uint16(at: 0))
      attributeValue = octets.dropFirst(2)
    }
  }

  /// Octets of each entry, handle included. Holds what came.
  public var length: UInt8
  /// The list as it travels.
  public var attributeDataList: ArraySlice<UInt8>

  public init(length: UInt8, attributeDataList: ArraySlice<UInt8>) {
    self.length = length
    self.attributeDataList = attributeDataList
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    length = try reader.uint8("Length")
    attributeDataList = reader.rest()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(length)
    writer.append(contentsOf: attributeDataList)
  }

  /// The entries.
  ///
  /// - Throws: for a length below 2, an empty list, or one with an incomplete entry.
  public func entries() throws(DecodeError) -> ATTList<AttributeData> {
    try ATTList(attributeDataList, entryLength: Int(length), name: Self.name, field: "Attribute Data List")
  }

  public static var examples: [Self] {
    [
      Self(length: 4, attributeDataList: [0x03, 0x00, 0x64, 0x00, 0x05, 0x00, 0x65, 0x00]),
      Self(length: 7, attributeDataList: [0x02, 0x00, 0x0A, 0x03, 0x00, 0x00, 0x2A]),
      Self(length: 2, attributeDataList: [0x09, 0x00]),
    ]
  }
}

extension ByteReader {
  /// The rest of the packet as an attribute type: ATT knows UUIDs of 16 and 128 bits only.
  mutating func attributeType(_ field: StaticString) throws(DecodeError) -> BLEUUID {
    guard remaining == 2 || remaining == 16 else {
      throw failure(field, .invalid("an attribute type has 2 or 16 octets, not \(remaining)"))
    }
    return try uuid(octets: remaining, field)
  }
}
