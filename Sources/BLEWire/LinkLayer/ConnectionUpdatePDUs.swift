import BLECore

/// LL_CONNECTION_UPDATE_IND: the central gives the connection new parameters (Core, Vol 6 Part B 2.4.2.1).
public struct ConnectionUpdateIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CONNECTION_UPDATE_IND", UInt8(0x00))

  /// WinSize, in units of 1.25 ms.
  public let windowSize: UInt8
  /// WinOffset, in units of 1.25 ms.
  public let windowOffset: UInt16
  /// Interval, in units of 1.25 ms.
  public let interval: UInt16
  /// Latency, in connection events.
  public let latency: UInt16
  /// Timeout, in units of 10 ms.
  public let timeout: UInt16
  /// Instant: the connection event from which they hold.
  public let instant: UInt16

  public init(
    windowSize: UInt8, windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, instant: UInt16
  ) {
    self.windowSize = windowSize
    self.windowOffset = windowOffset
    self.interval = interval
    self.latency = latency
    self.timeout = timeout
    self.instant = instant
  }

  static let layout = Layout(
    Self.init, Field("WinSize", \.windowSize), Field("WinOffset", \.windowOffset), Field("Interval", \.interval),
    Field("Latency", \.latency), Field("Timeout", \.timeout), Field("Instant", \.instant))
}

/// LL_CHANNEL_MAP_IND: the central chooses other data channels (Core, Vol 6 Part B 2.4.2.2).
public struct ChannelMapIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CHANNEL_MAP_IND", UInt8(0x01))

  /// ChM: bit n stands for data channel n.
  public let channelMap: UInt64
  /// Instant: the connection event from which they hold.
  public let instant: UInt16

  public init(channelMap: UInt64, instant: UInt16) {
    self.channelMap = channelMap
    self.instant = instant
  }

  static let layout = Layout(Self.init, Field("ChM", \.channelMap, .unsigned(octets: 5)), Field("Instant", \.instant))
}

/// LL_CONNECTION_PARAM_REQ: one side proposes ranges for new parameters (Core, Vol 6 Part B 2.4.2.16).
public struct ConnectionParameterRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CONNECTION_PARAM_REQ", UInt8(0x0F))

  /// Interval_Min, in units of 1.25 ms.
  public let intervalMinimum: UInt16
  /// Interval_Max, in units of 1.25 ms.
  public let intervalMaximum: UInt16
  /// Latency, in connection events.
  public let latency: UInt16
  /// Timeout, in units of 10 ms.
  public let timeout: UInt16
  /// PreferredPeriodicity, in units of 1.25 ms; 0 where there is none.
  public let preferredPeriodicity: UInt8
  /// ReferenceConnEventCount: the event that the offsets count from.
  public let referenceEventCount: UInt16
  /// Offset0 to Offset5: six offsets of two octets; 0xFFFF is none.
  public let offsets: [UInt8]

  public init(
    intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16, preferredPeriodicity: UInt8,
    referenceEventCount: UInt16, offsets: [UInt8]
  ) {
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.latency = latency
    self.timeout = timeout
    self.preferredPeriodicity = preferredPeriodicity
    self.referenceEventCount = referenceEventCount
    self.offsets = offsets
  }

  static let layout = Layout(
    Self.init, Field("Interval_Min", \.intervalMinimum), Field("Interval_Max", \.intervalMaximum),
    Field("Latency", \.latency), Field("Timeout", \.timeout), Field("PreferredPeriodicity", \.preferredPeriodicity),
    Field("ReferenceConnEventCount", \.referenceEventCount), Field("Offset0 to Offset5", \.offsets, .octets(12)))
}

/// LL_CONNECTION_PARAM_RSP: the other side's answer to the proposal (Core, Vol 6 Part B 2.4.2.17).
public struct ConnectionParameterResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CONNECTION_PARAM_RSP", UInt8(0x10))

  /// Interval_Min, in units of 1.25 ms.
  public let intervalMinimum: UInt16
  /// Interval_Max, in units of 1.25 ms.
  public let intervalMaximum: UInt16
  /// Latency, in connection events.
  public let latency: UInt16
  /// Timeout, in units of 10 ms.
  public let timeout: UInt16
  /// PreferredPeriodicity, in units of 1.25 ms; 0 where there is none.
  public let preferredPeriodicity: UInt8
  /// ReferenceConnEventCount: the event that the offsets count from.
  public let referenceEventCount: UInt16
  /// Offset0 to Offset5: six offsets of two octets; 0xFFFF is none.
  public let offsets: [UInt8]

  public init(
    intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16, preferredPeriodicity: UInt8,
    referenceEventCount: UInt16, offsets: [UInt8]
  ) {
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.latency = latency
    self.timeout = timeout
    self.preferredPeriodicity = preferredPeriodicity
    self.referenceEventCount = referenceEventCount
    self.offsets = offsets
  }

  static let layout = Layout(
    Self.init, Field("Interval_Min", \.intervalMinimum), Field("Interval_Max", \.intervalMaximum),
    Field("Latency", \.latency), Field("Timeout", \.timeout), Field("PreferredPeriodicity", \.preferredPeriodicity),
    Field("ReferenceConnEventCount", \.referenceEventCount), Field("Offset0 to Offset5", \.offsets, .octets(12)))
}

/// LL_SUBRATE_REQ: the peripheral asks for connection subrating (Core, Vol 6 Part B 2.4.2.39).
public struct SubrateRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_SUBRATE_REQ", UInt8(0x26))

  /// SubrateFactorMin.
  public let factorMinimum: UInt16
  /// SubrateFactorMax.
  public let factorMaximum: UInt16
  /// Max_Latency, in subrated events.
  public let latencyMaximum: UInt16
  /// ContinuationNumber.
  public let continuationNumber: UInt16
  /// Timeout, in units of 10 ms.
  public let timeout: UInt16

  static let layout = Layout(
    Self.init, Field("SubrateFactorMin", \.factorMinimum), Field("SubrateFactorMax", \.factorMaximum),
    Field("Max_Latency", \.latencyMaximum), Field("ContinuationNumber", \.continuationNumber),
    Field("Timeout", \.timeout))
}

/// LL_SUBRATE_IND: the central sets connection subrating (Core, Vol 6 Part B 2.4.2.40).
public struct SubrateIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_SUBRATE_IND", UInt8(0x27))

  /// SubrateFactor.
  public let factor: UInt16
  /// SubrateBaseEvent.
  public let baseEvent: UInt16
  /// Latency, in subrated events.
  public let latency: UInt16
  /// ContinuationNumber.
  public let continuationNumber: UInt16
  /// Timeout, in units of 10 ms.
  public let timeout: UInt16

  static let layout = Layout(
    Self.init, Field("SubrateFactor", \.factor), Field("SubrateBaseEvent", \.baseEvent), Field("Latency", \.latency),
    Field("ContinuationNumber", \.continuationNumber), Field("Timeout", \.timeout))
}
