import BLECore

/// Asks for the types of a range of attributes (Core, Vol 3 Part F 3.4.3.1).
public struct ATTFindInformationRequest: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.findInformationRequest

  public var startingHandle: AttributeHandle
  public var endingHandle: AttributeHandle

  public init(startingHandle: AttributeHandle, endingHandle: AttributeHandle) {
    self.startingHandle = startingHandle
    self.endingHandle = endingHandle
  }

  static let layout = Layout(
    Self.init, Field("Starting Handle", \.startingHandle), Field("Ending Handle", \.endingHandle))
}

/// Handles with their types (Core, Vol 3 Part F 3.4.3.2).
public struct ATTFindInformationResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.findInformationResponse

  /// One attribute and its type.
  public struct Information: ATTListEntry {
    public let attributeHandle: AttributeHandle
    public let attributeType: BLEUUID
    public static let minimumLength = 4

    public init(attributeHandle: AttributeHandle, attributeType: BLEUUID) {
      self.attributeHandle = attributeHandle
      self.attributeType = attributeType
    }

    public init(entry octets: ArraySlice<UInt8>) {
      attributeHandle = AttributeHandle(octets.uint16(at: 0))
      attributeType = BLEUUID(octets: octets.dropFirst(2)) ?? BLEUUID(0)
    }
  }

  /// 1: the types are 16-bit UUIDs; 2: 128-bit UUIDs. Not validated.
  public var format: UInt8
  /// The list as encoded.
  public var informationData: ArraySlice<UInt8>

  public init(format: UInt8, informationData: ArraySlice<UInt8>) {
    self.format = format
    self.informationData = informationData
  }

  /// All types must be of one width, 16 or 128 bits: the first one's.
  public init(_ information: [Information]) {
    let width: BLEUUID.Width = information.first?.attributeType.width == .short ? .short : .full
    var writer = ByteWriter(capacity: information.count * (2 + width.rawValue))
    for entry in information {
      writer.append(entry.attributeHandle)
      writer.append(entry.attributeType)
    }
    self.init(format: width == .short ? 1 : 2, informationData: writer.octets[...])
  }

  static let layout = Layout(Self.init, Field("Format", \.format), Field("Information Data", \.informationData, .rest))

  /// The entries.
  ///
  /// - Throws: for a format that is not known, an empty list, or one with an incomplete entry.
  public func entries() throws(DecodeError) -> ATTList<Information> {
    let length: Int
    switch format {
    case 1: length = 4
    case 2: length = 18
    default:
      throw DecodeError(
        layer: "ATT", field: "Format", offset: 1, reason: .invalid("unknown format \(format)"), octets: octets)
    }
    return try ATTList(informationData, entryLength: length, name: Self.name, field: "Information Data")
  }

  public static var examples: [Self] {
    [
      Self([
        Information(attributeHandle: AttributeHandle(5), attributeType: BLEUUID(0x2803)),
        Information(attributeHandle: AttributeHandle(6), attributeType: BLEUUID(0x2A00)),
      ]),
      Self([
        Information(attributeHandle: .last, attributeType: BLEUUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98))
      ]),
    ]
  }
}
