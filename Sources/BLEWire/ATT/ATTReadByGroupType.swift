import BLECore

/// Reads the attributes of a grouping type in a range (Core, Vol 3 Part F 3.4.4.9).
public struct ATTReadByGroupTypeRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readByGroupTypeRequest

  public var startingHandle: AttributeHandle
  public var endingHandle: AttributeHandle
  /// 16 or 128 bits wide.
  public var attributeGroupType: BLEUUID

  public init(startingHandle: AttributeHandle, endingHandle: AttributeHandle, attributeGroupType: BLEUUID) {
    self.startingHandle = startingHandle
    self.endingHandle = endingHandle
    self.attributeGroupType = attributeGroupType
  }

  static let layout = Layout(
    Self.init, Field("Starting Handle", \.startingHandle), Field("Ending Handle", \.endingHandle),
    Field("Attribute Group Type", \.attributeGroupType, .attributeType))
}

/// Groups with the values of the attributes that open them, all of one length (Core, Vol 3 Part F 3.4.4.10).
public struct ATTReadByGroupTypeResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.readByGroupTypeResponse

  /// One group: the attribute that opens it, its last attribute, and the opening attribute's value.
  public struct AttributeData: ATTListEntry {
    public let attributeHandle: AttributeHandle
    public let endGroupHandle: AttributeHandle
    public let attributeValue: ArraySlice<UInt8>
    public static let minimumLength = 4

    public var lastHandle: AttributeHandle { endGroupHandle }

    public init(
      attributeHandle: AttributeHandle, endGroupHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>
    ) {
      self.attributeHandle = attributeHandle
      self.endGroupHandle = endGroupHandle
      self.attributeValue = attributeValue
    }

    public init(entry octets: ArraySlice<UInt8>) {
      attributeHandle = AttributeHandle(octets.uint16(at: 0))
      endGroupHandle = AttributeHandle(octets.uint16(at: 2))
      attributeValue = octets.dropFirst(4)
    }
  }

  /// Octets of each entry, handles included. Not validated.
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
  /// - Throws: for a length below 4, an empty list, or one with an incomplete entry.
  public func entries() throws(DecodeError) -> ATTList<AttributeData> {
    try ATTList(attributeDataList, entryLength: Int(length), name: Self.name, field: "Attribute Data List")
  }

  public static var examples: [Self] {
    [
      Self(length: 6, attributeDataList: [1, 0, 9, 0, 0x00, 0x18, 10, 0, 0xFF, 0xFF, 0x01, 0x18]),
      Self(length: 20, attributeDataList: [1, 0, 9, 0] + ArraySlice<UInt8>(repeating: 0xAB, count: 16)),
    ]
  }
}
