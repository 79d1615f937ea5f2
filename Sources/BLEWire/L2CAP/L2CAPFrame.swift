import BLECore

/// The basic L2CAP header that opens every frame (Core, Vol 3 Part A 3.1).
public struct L2CAPHeader: Equatable, Sendable {
  /// Octets of the header.
  public static let octetCount = 4

  /// Octets that follow the header.
  public var length: UInt16
  public var channel: ChannelIdentifier

  public init(length: UInt16, channel: ChannelIdentifier) {
    self.length = length
    self.channel = channel
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    length = try reader.uint16("PDU Length")
    channel = ChannelIdentifier(try reader.uint16("Channel ID"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(length)
    writer.append(channel.rawValue)
  }

  /// Writes the header over headroom: four octets at `offset`.
  public func store(into writer: inout ByteWriter, at offset: Int) {
    writer.store(length, at: offset)
    writer.store(channel.rawValue, at: offset + 2)
  }
}

/// A whole B-frame: header and payload (Core, Vol 3 Part A 3.1).
public struct L2CAPFrame: WirePacket, Sendable {
  public static let name = "L2CAP B-frame"

  public var channel: ChannelIdentifier
  /// At most 65,535 octets.
  public var informationPayload: ArraySlice<UInt8>

  public init(channel: ChannelIdentifier, informationPayload: ArraySlice<UInt8>) {
    self.channel = channel
    self.informationPayload = informationPayload
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    let header = try L2CAPHeader(from: &reader)
    channel = header.channel
    informationPayload = try reader.octets(Int(header.length), "Information Payload")
  }

  public func encode(into writer: inout ByteWriter) {
    L2CAPHeader(length: UInt16(clamping: informationPayload.count), channel: channel).encode(into: &writer)
    writer.append(contentsOf: informationPayload.prefix(Int(UInt16.max)))
  }

  public static var examples: [Self] {
    [
      Self(channel: .attributeProtocol, informationPayload: [0x0A, 0x03, 0x00]),
      Self(channel: ChannelIdentifier(0x0040), informationPayload: []),
    ]
  }
}

/// The payload of the first K-frame of an SDU: the length of the whole, and its beginning (Core, Vol 3 Part A 3.4.3).
/// The K-frames that follow hold nothing but octets of the SDU.
public struct L2CAPFirstKFrame: WirePacket, Sendable {
  public static let name = "L2CAP first K-frame"
  /// Octets of the SDU length field.
  public static let headerOctetCount = 2

  /// Octets of the whole SDU. Holds what came.
  public var sduLength: UInt16
  public var informationPayload: ArraySlice<UInt8>

  public init(sduLength: UInt16, informationPayload: ArraySlice<UInt8>) {
    self.sduLength = sduLength
    self.informationPayload = informationPayload
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    sduLength = try reader.uint16("L2CAP SDU Length")
    informationPayload = reader.rest()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(sduLength)
    writer.append(contentsOf: informationPayload)
  }

  public static var examples: [Self] {
    [Self(sduLength: 3, informationPayload: [1, 2, 3]), Self(sduLength: 1000, informationPayload: [1, 2])]
  }
}

/// Numbers of L2CAP on an LE link (Core, Vol 3 Part A 2.1, 3.4 and 4).
public enum L2CAPLimits {
  /// The shortest frame payload that every LE device takes on its fixed channels, in octets.
  public static let minimumMTU: UInt16 = 23
  /// The smallest MTU and MPS of a channel opened by an enhanced request, in octets.
  public static let minimumEnhancedMTU: UInt16 = 64
  /// The largest MPS that a side may have, in octets.
  public static let maximumMPS: UInt16 = 65_533
  /// How many channels one enhanced request can open.
  public static let maximumChannelsPerRequest = 5
  /// Credits that one side can hold for a channel.
  public static let maximumCredits = 65_535
  /// Channels that are opened by a request.
  public static let dynamicChannels = ChannelIdentifier(0x0040).rawValue...ChannelIdentifier(0x007F).rawValue
}

extension ProtocolServiceMultiplexer {
  /// 0x0001 to 0x007F: assigned by the Bluetooth SIG. 0x0080 to 0x00FF: given out by the device.
  public var isValidOnLowEnergy: Bool { (0x0001...0x00FF).contains(rawValue) }
  /// The channels of the Enhanced Attribute Protocol.
  public static let enhancedAttributeProtocol = ProtocolServiceMultiplexer(0x0027)
}
