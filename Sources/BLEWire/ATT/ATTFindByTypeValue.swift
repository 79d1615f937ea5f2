import BLECore

/// Asks for the attributes of a 16-bit type that hold a value (Core, Vol 3 Part F 3.4.3.3).
public struct ATTFindByTypeValueRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.findByTypeValueRequest

  public var startingHandle: AttributeHandle
  public var endingHandle: AttributeHandle
  /// A 16-bit UUID.
  public var attributeType: UInt16
  public var attributeValue: ArraySlice<UInt8>

  public init(
    startingHandle: AttributeHandle, endingHandle: AttributeHandle, attributeType: UInt16,
    attributeValue: ArraySlice<UInt8>
  ) {
    self.startingHandle = startingHandle
    self.endingHandle = endingHandle
    self.attributeType = attributeType
    self.attributeValue = attributeValue
  }

  static let layout = Layout(
    Self.init, Field("Starting Handle", \.startingHandle), Field("Ending Handle", \.endingHandle),
    Field("Attribute Type", \.attributeType), Field("Attribute Value", \.attributeValue, .rest))
}

/// The attributes that were found, each with the end of its group (Core, Vol 3 Part F 3.4.3.4).
public struct ATTFindByTypeValueResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.findByTypeValueResponse

  /// One attribute that was found and the last attribute of its group.
  public struct HandlesInformation: ATTListEntry {
    public let foundAttributeHandle: AttributeHandle
    public let groupEndHandle: AttributeHandle
    public static let minimumLength = 4

    public var attributeHandle: AttributeHandle { foundAttributeHandle }
    public var lastHandle: AttributeHandle { groupEndHandle }

    public init(foundAttributeHandle: AttributeHandle, groupEndHandle: AttributeHandle) {
      self.foundAttributeHandle = foundAttributeHandle
      self.groupEndHandle = groupEndHandle
    }

    public init(entry octets: ArraySlice<UInt8>) {
      foundAttributeHandle = AttributeHandle(octets.uint16(at: 0))
      groupEndHandle = AttributeHandle(octets.uint16(at: 2))
    }
  }

  /// The list as encoded.
  public var handlesInformationList: ArraySlice<UInt8>

  public init(handlesInformationList: ArraySlice<UInt8>) { self.handlesInformationList = handlesInformationList }

  public init(_ list: [HandlesInformation]) {
    var writer = ByteWriter(capacity: list.count * HandlesInformation.minimumLength)
    for entry in list {
      writer.append(entry.foundAttributeHandle)
      writer.append(entry.groupEndHandle)
    }
    self.init(handlesInformationList: writer.octets[...])
  }

  static let layout = Layout(Self.init, Field("Handles Information List", \.handlesInformationList, .rest))

  /// The entries.
  ///
  /// - Throws: for an empty list, or one with an incomplete entry.
  public func entries() throws(DecodeError) -> ATTList<HandlesInformation> {
    try ATTList(
      handlesInformationList, entryLength: HandlesInformation.minimumLength, name: Self.name,
      field: "Handles Information List")
  }
}
