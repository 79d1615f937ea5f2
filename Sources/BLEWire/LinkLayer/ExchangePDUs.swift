import BLECore

/// LL_FEATURE_REQ: the central's features, asking for the peripheral's (Core, Vol 6 Part B 2.4.2.9).
public struct FeatureRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_REQ"
  public static let opcode: UInt8 = 0x08

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) {
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    features = try reader.uint64("FeatureSet")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(features)
  }

  public static var examples: [FeatureRequest] { [FeatureRequest(features: 0x0000_0000_0000_51FF)] }
}

/// LL_FEATURE_RSP: the features that both sides have (Core, Vol 6 Part B 2.4.2.10).
public struct FeatureResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_RSP"
  public static let opcode: UInt8 = 0x09

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) {
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    features = try reader.uint64("FeatureSet")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(features)
  }

  public static var examples: [FeatureResponse] { [FeatureResponse(features: 0x0000_0000_0000_51FF)] }
}

/// LL_PERIPHERAL_FEATURE_REQ: the peripheral's features, asking for the central's (Core, Vol 6 Part B 2.4.2.15).
public struct PeripheralFeatureRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PERIPHERAL_FEATURE_REQ"
  public static let opcode: UInt8 = 0x0E

  /// FeatureSet: a bit for each feature.
  public let features: UInt64

  public init(features: UInt64) {
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    features = try reader.uint64("FeatureSet")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(features)
  }

  public static var examples: [PeripheralFeatureRequest] { [PeripheralFeatureRequest(features: 0x0000_0000_0000_51FF)] }
}

/// LL_FEATURE_EXT_REQ: a further page of features, asking for the other side's (Core, Vol 6 Part B 2.4.2.44).
public struct FeatureExtendedRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_EXT_REQ"
  public static let opcode: UInt8 = 0x2B

  /// MaxPage: the last page that is not all zero.
  public let maximumPage: UInt8
  /// PageNumber.
  public let page: UInt8
  /// FeaturePage, 24 octets.
  public let features: [UInt8]

  public init(maximumPage: UInt8, page: UInt8, features: [UInt8]) {
    self.maximumPage = maximumPage
    self.page = page
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    maximumPage = try reader.uint8("MaxPage")
    page = try reader.uint8("PageNumber")
    features = Array(try reader.octets(24, "FeaturePage"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(maximumPage)
    writer.append(page)
    writer.append(contentsOf: features, paddedTo: 24)
  }

  public static var examples: [FeatureExtendedRequest] {
    [FeatureExtendedRequest(maximumPage: 1, page: 1, features: Array(1...24))]
  }
}

/// LL_FEATURE_EXT_RSP: a further page of features (Core, Vol 6 Part B 2.4.2.45).
public struct FeatureExtendedResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_FEATURE_EXT_RSP"
  public static let opcode: UInt8 = 0x2C

  /// MaxPage: the last page that is not all zero.
  public let maximumPage: UInt8
  /// PageNumber.
  public let page: UInt8
  /// FeaturePage, 24 octets.
  public let features: [UInt8]

  public init(maximumPage: UInt8, page: UInt8, features: [UInt8]) {
    self.maximumPage = maximumPage
    self.page = page
    self.features = features
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    maximumPage = try reader.uint8("MaxPage")
    page = try reader.uint8("PageNumber")
    features = Array(try reader.octets(24, "FeaturePage"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(maximumPage)
    writer.append(page)
    writer.append(contentsOf: features, paddedTo: 24)
  }

  public static var examples: [FeatureExtendedResponse] {
    [FeatureExtendedResponse(maximumPage: 1, page: 1, features: Array(1...24))]
  }
}

/// LL_VERSION_IND: who made the controller (Core, Vol 6 Part B 2.4.2.13).
public struct VersionIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_VERSION_IND"
  public static let opcode: UInt8 = 0x0C

  /// Version: an assigned number, 0x0D for 5.4.
  public let version: UInt8
  /// Company_Identifier.
  public let company: UInt16
  /// Subversion.
  public let subversion: UInt16

  public init(version: UInt8, company: UInt16, subversion: UInt16) {
    self.version = version
    self.company = company
    self.subversion = subversion
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    version = try reader.uint8("Version")
    company = try reader.uint16("Company_Identifier")
    subversion = try reader.uint16("Subversion")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(version)
    writer.append(company)
    writer.append(subversion)
  }

  public static var examples: [VersionIndication] { [VersionIndication(version: 0x0D, company: 0x05F1, subversion: 1)] }
}

/// LL_LENGTH_REQ: how long packets may be, asking for the other side's limits (Core, Vol 6 Part B 2.4.2.21).
public struct LengthRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_LENGTH_REQ"
  public static let opcode: UInt8 = 0x14

  /// MaxRxOctets.
  public let maximumReceiveOctets: UInt16
  /// MaxRxTime, in microseconds.
  public let maximumReceiveTime: UInt16
  /// MaxTxOctets.
  public let maximumTransmitOctets: UInt16
  /// MaxTxTime, in microseconds.
  public let maximumTransmitTime: UInt16

  public init(
    maximumReceiveOctets: UInt16, maximumReceiveTime: UInt16, maximumTransmitOctets: UInt16, maximumTransmitTime: UInt16
  ) {
    self.maximumReceiveOctets = maximumReceiveOctets
    self.maximumReceiveTime = maximumReceiveTime
    self.maximumTransmitOctets = maximumTransmitOctets
    self.maximumTransmitTime = maximumTransmitTime
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    maximumReceiveOctets = try reader.uint16("MaxRxOctets")
    maximumReceiveTime = try reader.uint16("MaxRxTime")
    maximumTransmitOctets = try reader.uint16("MaxTxOctets")
    maximumTransmitTime = try reader.uint16("MaxTxTime")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(maximumReceiveOctets)
    writer.append(maximumReceiveTime)
    writer.append(maximumTransmitOctets)
    writer.append(maximumTransmitTime)
  }

  public static var examples: [LengthRequest] {
    [
      LengthRequest(
        maximumReceiveOctets: 251, maximumReceiveTime: 2_120, maximumTransmitOctets: 251,
        maximumTransmitTime: 2_120)
    ]
  }
}

/// LL_LENGTH_RSP: how long packets may be (Core, Vol 6 Part B 2.4.2.22).
public struct LengthResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_LENGTH_RSP"
  public static let opcode: UInt8 = 0x15

  /// MaxRxOctets.
  public let maximumReceiveOctets: UInt16
  /// MaxRxTime, in microseconds.
  public let maximumReceiveTime: UInt16
  /// MaxTxOctets.
  public let maximumTransmitOctets: UInt16
  /// MaxTxTime, in microseconds.
  public let maximumTransmitTime: UInt16

  public init(
    maximumReceiveOctets: UInt16, maximumReceiveTime: UInt16, maximumTransmitOctets: UInt16, maximumTransmitTime: UInt16
  ) {
    self.maximumReceiveOctets = maximumReceiveOctets
    self.maximumReceiveTime = maximumReceiveTime
    self.maximumTransmitOctets = maximumTransmitOctets
    self.maximumTransmitTime = maximumTransmitTime
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    maximumReceiveOctets = try reader.uint16("MaxRxOctets")
    maximumReceiveTime = try reader.uint16("MaxRxTime")
    maximumTransmitOctets = try reader.uint16("MaxTxOctets")
    maximumTransmitTime = try reader.uint16("MaxTxTime")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(maximumReceiveOctets)
    writer.append(maximumReceiveTime)
    writer.append(maximumTransmitOctets)
    writer.append(maximumTransmitTime)
  }

  public static var examples: [LengthResponse] {
    [
      LengthResponse(
        maximumReceiveOctets: 251, maximumReceiveTime: 2_120, maximumTransmitOctets: 251,
        maximumTransmitTime: 2_120)
    ]
  }
}

/// LL_PHY_REQ: the PHYs that one side likes, asking for the other side's (Core, Vol 6 Part B 2.4.2.23).
public struct PhyRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PHY_REQ"
  public static let opcode: UInt8 = 0x16

  /// TX_PHYS: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
  public let transmit: UInt8
  /// RX_PHYS, in the same bits.
  public let receive: UInt8

  public init(transmit: UInt8, receive: UInt8) {
    self.transmit = transmit
    self.receive = receive
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    transmit = try reader.uint8("TX_PHYS")
    receive = try reader.uint8("RX_PHYS")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(transmit)
    writer.append(receive)
  }

  public static var examples: [PhyRequest] { [PhyRequest(transmit: 3, receive: 2)] }
}

/// LL_PHY_RSP: the PHYs that the other side likes (Core, Vol 6 Part B 2.4.2.24).
public struct PhyResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PHY_RSP"
  public static let opcode: UInt8 = 0x17

  /// TX_PHYS: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
  public let transmit: UInt8
  /// RX_PHYS, in the same bits.
  public let receive: UInt8

  public init(transmit: UInt8, receive: UInt8) {
    self.transmit = transmit
    self.receive = receive
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    transmit = try reader.uint8("TX_PHYS")
    receive = try reader.uint8("RX_PHYS")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(transmit)
    writer.append(receive)
  }

  public static var examples: [PhyResponse] { [PhyResponse(transmit: 3, receive: 2)] }
}

/// LL_PHY_UPDATE_IND: the central changes the PHYs (Core, Vol 6 Part B 2.4.2.25).
public struct PhyUpdateIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PHY_UPDATE_IND"
  public static let opcode: UInt8 = 0x18

  /// PHY_C_To_P: one bit, or 0 for no change.
  public let centralToPeripheral: UInt8
  /// PHY_P_To_C, in the same bits.
  public let peripheralToCentral: UInt8
  /// Instant: the connection event from which they hold.
  public let instant: UInt16

  public init(centralToPeripheral: UInt8, peripheralToCentral: UInt8, instant: UInt16) {
    self.centralToPeripheral = centralToPeripheral
    self.peripheralToCentral = peripheralToCentral
    self.instant = instant
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    centralToPeripheral = try reader.uint8("PHY_C_To_P")
    peripheralToCentral = try reader.uint8("PHY_P_To_C")
    instant = try reader.uint16("Instant")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(centralToPeripheral)
    writer.append(peripheralToCentral)
    writer.append(instant)
  }

  public static var examples: [PhyUpdateIndication] {
    [PhyUpdateIndication(centralToPeripheral: 2, peripheralToCentral: 2, instant: 30)]
  }
}

/// LL_MIN_USED_CHANNELS_IND: the peripheral wants at least so many channels (Core, Vol 6 Part B 2.4.2.26).
public struct MinimumUsedChannelsIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_MIN_USED_CHANNELS_IND"
  public static let opcode: UInt8 = 0x19

  /// PHYS: a bit for each PHY this is about.
  public let phys: UInt8
  /// MinUsedChannels.
  public let minimumUsedChannels: UInt8

  public init(phys: UInt8, minimumUsedChannels: UInt8) {
    self.phys = phys
    self.minimumUsedChannels = minimumUsedChannels
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    phys = try reader.uint8("PHYS")
    minimumUsedChannels = try reader.uint8("MinUsedChannels")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(phys)
    writer.append(minimumUsedChannels)
  }

  public static var examples: [MinimumUsedChannelsIndication] {
    [MinimumUsedChannelsIndication(phys: 1, minimumUsedChannels: 2)]
  }
}

/// LL_CLOCK_ACCURACY_REQ: the sender's sleep clock, asking for the other side's (Core, Vol 6 Part B 2.4.2.30).
public struct ClockAccuracyRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CLOCK_ACCURACY_REQ"
  public static let opcode: UInt8 = 0x1D

  /// SCA: 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
  public let accuracy: UInt8

  public init(accuracy: UInt8) {
    self.accuracy = accuracy
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    accuracy = try reader.uint8("SCA")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(accuracy)
  }

  public static var examples: [ClockAccuracyRequest] { [ClockAccuracyRequest(accuracy: 5)] }
}

/// LL_CLOCK_ACCURACY_RSP: the sender's sleep clock (Core, Vol 6 Part B 2.4.2.31).
public struct ClockAccuracyResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CLOCK_ACCURACY_RSP"
  public static let opcode: UInt8 = 0x1E

  /// SCA: 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
  public let accuracy: UInt8

  public init(accuracy: UInt8) {
    self.accuracy = accuracy
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    accuracy = try reader.uint8("SCA")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(accuracy)
  }

  public static var examples: [ClockAccuracyResponse] { [ClockAccuracyResponse(accuracy: 5)] }
}
