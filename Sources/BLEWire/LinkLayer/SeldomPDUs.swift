import BLECore

/// LL_CTE_REQ: asks for a constant tone extension (Core, Vol 6 Part B 2.4.2.27).
public struct ConstantToneRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CTE_REQ"
  public static let opcode: UInt8 = 0x1A

  /// MinCTELenReq and CTETypeReq.
  public let parameters: UInt8

  public init(parameters: UInt8) {
    self.parameters = parameters
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    parameters = try reader.uint8("MinCTELenReq and CTETypeReq")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(parameters)
  }

  public static var examples: [ConstantToneRequest] { [ConstantToneRequest(parameters: 0x42)] }
}

/// LL_CTE_RSP: carries the tone (Core, Vol 6 Part B 2.4.2.28).
public struct ConstantToneResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CTE_RSP"
  public static let opcode: UInt8 = 0x1B

  public init() {}

  public init(from reader: inout ByteReader) throws(DecodeError) {}

  public func encode(into writer: inout ByteWriter) {}

  public static var examples: [ConstantToneResponse] { [ConstantToneResponse()] }
}

/// LL_PERIODIC_SYNC_IND: hands over a periodic advertising train (Core, Vol 6 Part B 2.4.2.29).
public struct PeriodicSyncIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_PERIODIC_SYNC_IND"
  public static let opcode: UInt8 = 0x1C

  /// ID: the hosts' own.
  public let identifier: UInt16
  /// SyncInfo, 18 octets.
  public let synchronization: [UInt8]
  /// connEventCount.
  public let eventCount: UInt16
  /// lastPaEventCounter.
  public let lastEventCounter: UInt16
  /// SID, AType and SCA.
  public let setAndAccuracy: UInt8
  /// PHY.
  public let phy: UInt8
  /// AdvA, 6 octets.
  public let advertiser: [UInt8]
  /// syncConnEventCount.
  public let syncEventCount: UInt16

  public init(
    identifier: UInt16, synchronization: [UInt8], eventCount: UInt16, lastEventCounter: UInt16, setAndAccuracy: UInt8,
    phy: UInt8, advertiser: [UInt8], syncEventCount: UInt16
  ) {
    self.identifier = identifier
    self.synchronization = synchronization
    self.eventCount = eventCount
    self.lastEventCounter = lastEventCounter
    self.setAndAccuracy = setAndAccuracy
    self.phy = phy
    self.advertiser = advertiser
    self.syncEventCount = syncEventCount
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    identifier = try reader.uint16("ID")
    synchronization = Array(try reader.octets(18, "SyncInfo"))
    eventCount = try reader.uint16("connEventCount")
    lastEventCounter = try reader.uint16("lastPaEventCounter")
    setAndAccuracy = try reader.uint8("SID, AType and SCA")
    phy = try reader.uint8("PHY")
    advertiser = Array(try reader.octets(6, "AdvA"))
    syncEventCount = try reader.uint16("syncConnEventCount")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(identifier)
    writer.append(contentsOf: synchronization, paddedTo: 18)
    writer.append(eventCount)
    writer.append(lastEventCounter)
    writer.append(setAndAccuracy)
    writer.append(phy)
    writer.append(contentsOf: advertiser, paddedTo: 6)
    writer.append(syncEventCount)
  }

  public static var examples: [PeriodicSyncIndication] {
    [
      PeriodicSyncIndication(
        identifier: 1, synchronization: Array(1...18), eventCount: 2, lastEventCounter: 3, setAndAccuracy: 4, phy: 1,
        advertiser: Array(1...6), syncEventCount: 5)
    ]
  }
}

/// LL_CIS_RSP: accepts a connected isochronous stream (Core, Vol 6 Part B 2.4.2.33).
public struct ConnectedStreamResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CIS_RSP"
  public static let opcode: UInt8 = 0x20

  /// CIS_Offset_Min, in microseconds.
  public let offsetMinimum: UInt32
  /// CIS_Offset_Max, in microseconds.
  public let offsetMaximum: UInt32
  /// connEventCount.
  public let eventCount: UInt16

  public init(offsetMinimum: UInt32, offsetMaximum: UInt32, eventCount: UInt16) {
    self.offsetMinimum = offsetMinimum
    self.offsetMaximum = offsetMaximum
    self.eventCount = eventCount
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    offsetMinimum = try reader.uint24("CIS_Offset_Min")
    offsetMaximum = try reader.uint24("CIS_Offset_Max")
    eventCount = try reader.uint16("connEventCount")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(uint24: offsetMinimum)
    writer.append(uint24: offsetMaximum)
    writer.append(eventCount)
  }

  public static var examples: [ConnectedStreamResponse] {
    [ConnectedStreamResponse(offsetMinimum: 500, offsetMaximum: 1_000, eventCount: 9)]
  }
}

/// LL_CIS_IND: starts a connected isochronous stream (Core, Vol 6 Part B 2.4.2.34).
public struct ConnectedStreamIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CIS_IND"
  public static let opcode: UInt8 = 0x21

  /// AA.
  public let accessAddress: UInt32
  /// CIS_Offset, in microseconds.
  public let offset: UInt32
  /// CIG_Sync_Delay, in microseconds.
  public let groupDelay: UInt32
  /// CIS_Sync_Delay, in microseconds.
  public let streamDelay: UInt32
  /// connEventCount.
  public let eventCount: UInt16

  public init(accessAddress: UInt32, offset: UInt32, groupDelay: UInt32, streamDelay: UInt32, eventCount: UInt16) {
    self.accessAddress = accessAddress
    self.offset = offset
    self.groupDelay = groupDelay
    self.streamDelay = streamDelay
    self.eventCount = eventCount
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    accessAddress = try reader.uint32("AA")
    offset = try reader.uint24("CIS_Offset")
    groupDelay = try reader.uint24("CIG_Sync_Delay")
    streamDelay = try reader.uint24("CIS_Sync_Delay")
    eventCount = try reader.uint16("connEventCount")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(accessAddress)
    writer.append(uint24: offset)
    writer.append(uint24: groupDelay)
    writer.append(uint24: streamDelay)
    writer.append(eventCount)
  }

  public static var examples: [ConnectedStreamIndication] {
    [
      ConnectedStreamIndication(
        accessAddress: 0x5065_8C3A, offset: 500, groupDelay: 600, streamDelay: 700, eventCount: 9)
    ]
  }
}

/// LL_CIS_TERMINATE_IND: ends a connected isochronous stream (Core, Vol 6 Part B 2.4.2.35).
public struct ConnectedStreamTermination: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CIS_TERMINATE_IND"
  public static let opcode: UInt8 = 0x22

  /// CIG_ID.
  public let group: UInt8
  /// CIS_ID.
  public let stream: UInt8
  /// ErrorCode: why (Core, Vol 1 Part F).
  public let reason: UInt8

  public init(group: UInt8, stream: UInt8, reason: UInt8) {
    self.group = group
    self.stream = stream
    self.reason = reason
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    group = try reader.uint8("CIG_ID")
    stream = try reader.uint8("CIS_ID")
    reason = try reader.uint8("ErrorCode")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(group)
    writer.append(stream)
    writer.append(reason)
  }

  public static var examples: [ConnectedStreamTermination] {
    [ConnectedStreamTermination(group: 1, stream: 2, reason: 0x13)]
  }
}

/// LL_POWER_CONTROL_REQ: asks the other side to change its power (Core, Vol 6 Part B 2.4.2.36).
public struct PowerControlRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_POWER_CONTROL_REQ"
  public static let opcode: UInt8 = 0x23

  /// PHY: one bit.
  public let phy: UInt8
  /// Delta, in dB.
  public let delta: Int8
  /// TxPower, in dBm.
  public let transmitPower: Int8

  public init(phy: UInt8, delta: Int8, transmitPower: Int8) {
    self.phy = phy
    self.delta = delta
    self.transmitPower = transmitPower
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    phy = try reader.uint8("PHY")
    delta = try reader.int8("Delta")
    transmitPower = try reader.int8("TxPower")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(phy)
    writer.append(delta)
    writer.append(transmitPower)
  }

  public static var examples: [PowerControlRequest] { [PowerControlRequest(phy: 1, delta: -3, transmitPower: 4)] }
}

/// LL_POWER_CONTROL_RSP: says what became of the power (Core, Vol 6 Part B 2.4.2.37).
public struct PowerControlResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_POWER_CONTROL_RSP"
  public static let opcode: UInt8 = 0x24

  /// Min and Max: bit 0 at the minimum, bit 1 at the maximum.
  public let limits: UInt8
  /// Delta, in dB.
  public let delta: Int8
  /// TxPower, in dBm.
  public let transmitPower: Int8
  /// APR, in dB.
  public let acceptableReduction: UInt8

  public init(limits: UInt8, delta: Int8, transmitPower: Int8, acceptableReduction: UInt8) {
    self.limits = limits
    self.delta = delta
    self.transmitPower = transmitPower
    self.acceptableReduction = acceptableReduction
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    limits = try reader.uint8("Min and Max")
    delta = try reader.int8("Delta")
    transmitPower = try reader.int8("TxPower")
    acceptableReduction = try reader.uint8("APR")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(limits)
    writer.append(delta)
    writer.append(transmitPower)
    writer.append(acceptableReduction)
  }

  public static var examples: [PowerControlResponse] {
    [PowerControlResponse(limits: 1, delta: -3, transmitPower: 1, acceptableReduction: 2)]
  }
}

/// LL_POWER_CHANGE_IND: the sender's power has changed (Core, Vol 6 Part B 2.4.2.38).
public struct PowerChangeIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_POWER_CHANGE_IND"
  public static let opcode: UInt8 = 0x25

  /// PHY: one bit.
  public let phy: UInt8
  /// Min and Max: bit 0 at the minimum, bit 1 at the maximum.
  public let limits: UInt8
  /// Delta, in dB.
  public let delta: Int8
  /// TxPower, in dBm.
  public let transmitPower: Int8

  public init(phy: UInt8, limits: UInt8, delta: Int8, transmitPower: Int8) {
    self.phy = phy
    self.limits = limits
    self.delta = delta
    self.transmitPower = transmitPower
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    phy = try reader.uint8("PHY")
    limits = try reader.uint8("Min and Max")
    delta = try reader.int8("Delta")
    transmitPower = try reader.int8("TxPower")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(phy)
    writer.append(limits)
    writer.append(delta)
    writer.append(transmitPower)
  }

  public static var examples: [PowerChangeIndication] {
    [PowerChangeIndication(phy: 1, limits: 2, delta: 4, transmitPower: 8)]
  }
}

/// LL_CHANNEL_REPORTING_IND: the central wants reports on channels (Core, Vol 6 Part B 2.4.2.41).
public struct ChannelReportingIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CHANNEL_REPORTING_IND"
  public static let opcode: UInt8 = 0x28

  /// Enable: 1 or 0.
  public let enable: UInt8
  /// Min_Spacing, in units of 200 ms.
  public let minimumSpacing: UInt8
  /// Max_Delay, in units of 200 ms.
  public let maximumDelay: UInt8

  public init(enable: UInt8, minimumSpacing: UInt8, maximumDelay: UInt8) {
    self.enable = enable
    self.minimumSpacing = minimumSpacing
    self.maximumDelay = maximumDelay
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    enable = try reader.uint8("Enable")
    minimumSpacing = try reader.uint8("Min_Spacing")
    maximumDelay = try reader.uint8("Max_Delay")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(enable)
    writer.append(minimumSpacing)
    writer.append(maximumDelay)
  }

  public static var examples: [ChannelReportingIndication] {
    [ChannelReportingIndication(enable: 1, minimumSpacing: 10, maximumDelay: 20)]
  }
}

/// LL_CHANNEL_STATUS_IND: the peripheral's report on channels (Core, Vol 6 Part B 2.4.2.42).
public struct ChannelStatusIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CHANNEL_STATUS_IND"
  public static let opcode: UInt8 = 0x29

  /// Channel_Classification: two bits a channel, 10 octets.
  public let classification: [UInt8]

  public init(classification: [UInt8]) {
    self.classification = classification
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    classification = Array(try reader.octets(10, "Channel_Classification"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(contentsOf: classification, paddedTo: 10)
  }

  public static var examples: [ChannelStatusIndication] { [ChannelStatusIndication(classification: Array(1...10))] }
}
