import BLECore

/// Ends a channel (Core, Vol 3 Part A 4.6).
public struct L2CAPDisconnectionRequest: L2CAPSignalingPacket {
  public static let code = L2CAPSignalingCode.disconnectionRequest

  /// The channel's end at the receiver of the request.
  public var destinationCID: ChannelIdentifier
  /// The channel's end at the sender of the request.
  public var sourceCID: ChannelIdentifier

  public init(destinationCID: ChannelIdentifier, sourceCID: ChannelIdentifier) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    destinationCID = ChannelIdentifier(try reader.uint16("Destination CID"))
    sourceCID = ChannelIdentifier(try reader.uint16("Source CID"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(destinationCID.rawValue)
    writer.append(sourceCID.rawValue)
  }

  public static var examples: [Self] {
    [Self(destinationCID: ChannelIdentifier(0x40), sourceCID: ChannelIdentifier(0x41))]
  }
}

/// The channel is gone (Core, Vol 3 Part A 4.7). Both identifiers are those of the request.
public struct L2CAPDisconnectionResponse: L2CAPSignalingPacket {
  public static let code = L2CAPSignalingCode.disconnectionResponse

  public var destinationCID: ChannelIdentifier
  public var sourceCID: ChannelIdentifier

  public init(destinationCID: ChannelIdentifier, sourceCID: ChannelIdentifier) {
    self.destinationCID = destinationCID
    self.sourceCID = sourceCID
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    destinationCID = ChannelIdentifier(try reader.uint16("Destination CID"))
    sourceCID = ChannelIdentifier(try reader.uint16("Source CID"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(destinationCID.rawValue)
    writer.append(sourceCID.rawValue)
  }

  public static var examples: [Self] {
    [Self(destinationCID: ChannelIdentifier(0x40), sourceCID: ChannelIdentifier(0x41))]
  }
}
