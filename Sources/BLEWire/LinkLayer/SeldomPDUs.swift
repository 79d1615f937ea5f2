import BLECore

/// LL_CTE_REQ: asks for a constant tone extension (Core, Vol 6 Part B 2.4.2.27).
public struct ConstantToneRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CTE_REQ", UInt8(0x1A))

  /// MinCTELenReq and CTETypeReq.
  public let parameters: UInt8

  static let layout = Layout(Self.init, Field("MinCTELenReq and CTETypeReq", \.parameters))
}

/// LL_CTE_RSP: carries the tone (Core, Vol 6 Part B 2.4.2.28).
public struct ConstantToneResponse: LinkLayerControlPacket, Hashable, EmptyPacket {
  public static let (name, opcode) = ("LL_CTE_RSP", UInt8(0x1B))

  public init() {}
}

/// LL_PERIODIC_SYNC_IND: hands over a periodic advertising train (Core, Vol 6 Part B 2.4.2.29).
public struct PeriodicSyncIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_PERIODIC_SYNC_IND", UInt8(0x1C))

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

  static let layout = Layout(
    Self.init, Field("ID", \.identifier), Field("SyncInfo", \.synchronization, .octets(18)),
    Field("connEventCount", \.eventCount), Field("lastPaEventCounter", \.lastEventCounter),
    Field("SID, AType and SCA", \.setAndAccuracy), Field("PHY", \.phy), Field("AdvA", \.advertiser, .octets(6)),
    Field("syncConnEventCount", \.syncEventCount))
}

/// LL_CIS_RSP: accepts a connected isochronous stream (Core, Vol 6 Part B 2.4.2.33).
public struct ConnectedStreamResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CIS_RSP", UInt8(0x20))

  /// CIS_Offset_Min, in microseconds.
  public let offsetMinimum: UInt32
  /// CIS_Offset_Max, in microseconds.
  public let offsetMaximum: UInt32
  /// connEventCount.
  public let eventCount: UInt16

  static let layout = Layout(
    Self.init, Field("CIS_Offset_Min", \.offsetMinimum, .unsigned(octets: 3)),
    Field("CIS_Offset_Max", \.offsetMaximum, .unsigned(octets: 3)), Field("connEventCount", \.eventCount))
}

/// LL_CIS_IND: starts a connected isochronous stream (Core, Vol 6 Part B 2.4.2.34).
public struct ConnectedStreamIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CIS_IND", UInt8(0x21))

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

  static let layout = Layout(
    Self.init, Field("AA", \.accessAddress), Field("CIS_Offset", \.offset, .unsigned(octets: 3)),
    Field("CIG_Sync_Delay", \.groupDelay, .unsigned(octets: 3)),
    Field("CIS_Sync_Delay", \.streamDelay, .unsigned(octets: 3)), Field("connEventCount", \.eventCount))
}

/// LL_CIS_TERMINATE_IND: ends a connected isochronous stream (Core, Vol 6 Part B 2.4.2.35).
public struct ConnectedStreamTermination: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CIS_TERMINATE_IND", UInt8(0x22))

  /// CIG_ID.
  public let group: UInt8
  /// CIS_ID.
  public let stream: UInt8
  /// ErrorCode: why (Core, Vol 1 Part F).
  public let reason: UInt8

  static let layout = Layout(
    Self.init, Field("CIG_ID", \.group), Field("CIS_ID", \.stream), Field("ErrorCode", \.reason))
}

/// LL_POWER_CONTROL_REQ: asks the other side to change its power (Core, Vol 6 Part B 2.4.2.36).
public struct PowerControlRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_POWER_CONTROL_REQ", UInt8(0x23))

  /// PHY: one bit.
  public let phy: UInt8
  /// Delta, in dB.
  public let delta: Int8
  /// TxPower, in dBm.
  public let transmitPower: Int8

  static let layout = Layout(Self.init, Field("PHY", \.phy), Field("Delta", \.delta), Field("TxPower", \.transmitPower))
}

/// LL_POWER_CONTROL_RSP: says what became of the power (Core, Vol 6 Part B 2.4.2.37).
public struct PowerControlResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_POWER_CONTROL_RSP", UInt8(0x24))

  /// Min and Max: bit 0 at the minimum, bit 1 at the maximum.
  public let limits: UInt8
  /// Delta, in dB.
  public let delta: Int8
  /// TxPower, in dBm.
  public let transmitPower: Int8
  /// APR, in dB.
  public let acceptableReduction: UInt8

  static let layout = Layout(
    Self.init, Field("Min and Max", \.limits), Field("Delta", \.delta), Field("TxPower", \.transmitPower),
    Field("APR", \.acceptableReduction))
}

/// LL_POWER_CHANGE_IND: the sender's power has changed (Core, Vol 6 Part B 2.4.2.38).
public struct PowerChangeIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_POWER_CHANGE_IND", UInt8(0x25))

  /// PHY: one bit.
  public let phy: UInt8
  /// Min and Max: bit 0 at the minimum, bit 1 at the maximum.
  public let limits: UInt8
  /// Delta, in dB.
  public let delta: Int8
  /// TxPower, in dBm.
  public let transmitPower: Int8

  static let layout = Layout(
    Self.init, Field("PHY", \.phy), Field("Min and Max", \.limits), Field("Delta", \.delta),
    Field("TxPower", \.transmitPower))
}

/// LL_CHANNEL_REPORTING_IND: the central wants reports on channels (Core, Vol 6 Part B 2.4.2.41).
public struct ChannelReportingIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CHANNEL_REPORTING_IND", UInt8(0x28))

  /// Enable: 1 or 0.
  public let enable: UInt8
  /// Min_Spacing, in units of 200 ms.
  public let minimumSpacing: UInt8
  /// Max_Delay, in units of 200 ms.
  public let maximumDelay: UInt8

  static let layout = Layout(
    Self.init, Field("Enable", \.enable), Field("Min_Spacing", \.minimumSpacing), Field("Max_Delay", \.maximumDelay))
}

/// LL_CHANNEL_STATUS_IND: the peripheral's report on channels (Core, Vol 6 Part B 2.4.2.42).
public struct ChannelStatusIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CHANNEL_STATUS_IND", UInt8(0x29))

  /// Channel_Classification: two bits a channel, 10 octets.
  public let classification: [UInt8]

  static let layout = Layout(Self.init, Field("Channel_Classification", \.classification, .octets(10)))
}
