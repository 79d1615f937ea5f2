import BLECore

/// Reads the attributes of one type in a range (Core, Vol 3 Part F 3.4.4.1).
public struct ATTReadByTypeRequest: ATTPacket, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Starting Handle", \.startingHandle), Field("Ending Handle", \.endingHandle),
    Field("Attribute Type", \.attributeType, .attributeType))
}

/// Handles with their values, all of one length (Core, Vol 3 Part F 3.4.4.2).
public struct ATTReadByTypeResponse: ATTPacket, HasLayout {
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

  /// Octets of each entry, handle included. Not validated.
  public var length: UInt8
  /// The list as encoded.
  public var attributeDataList: ArraySlice<UInt8>

  public init(length: UInt8, attributeDataList: ArraySlice<UInt8>) {
    self.length = length
    self.attributeDataList = attributeDataList
  }

  static let layout = Layout(
    Self.init, Field("Length", \.length), Field("Attribute Data List", \.attributeDataList, .rest))

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

extension WireForm where Value == BLEUUID {
  /// The rest of the packet as an attribute type: ATT knows UUIDs of 16 and 128 bits only.
  static var attributeType: Self {
    Self(
      read: { reader, field throws(DecodeError) in
        let count = reader.remaining
        guard count == 2 || count == 16 else {
          throw reader.failure(field, .invalid("an attribute type has 2 or 16 octets, not \(count)"))
        }
        return try reader.uuid(octets: count, field)
      },
      write: { value, writer in writer.append(value) },
      examples: [BLEUUID(0x2803), BLEUUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98)])
  }
}
