import BLECore

/// LL_CONNECTION_UPDATE_IND: the central gives the connection new parameters (Core, Vol 6 Part B 2.4.2.1).
public struct ConnectionUpdateIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CONNECTION_UPDATE_IND"
  public static let opcode: UInt8 = 0x00

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    windowSize = try reader.uint8("WinSize")
    windowOffset = try reader.uint16("WinOffset")
    interval = try reader.uint16("Interval")
    latency = try reader.uint16("Latency")
    timeout = try reader.uint16("Timeout")
    instant = try reader.uint16("Instant")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(windowSize)
    writer.append(windowOffset)
    writer.append(interval)
    writer.append(latency)
    writer.append(timeout)
    writer.append(instant)
  }

  public static var examples: [ConnectionUpdateIndication] {
    [
      ConnectionUpdateIndication(
        windowSize: 1, windowOffset: 2, interval: 24, latency: 4, timeout: 500, instant: 0x1234)
    ]
  }
}

/// LL_CHANNEL_MAP_IND: the central chooses other data channels (Core, Vol 6 Part B 2.4.2.2).
public struct ChannelMapIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CHANNEL_MAP_IND"
  public static let opcode: UInt8 = 0x01

  /// ChM: bit n stands for data channel n.
  public let channelMap: UInt64
  /// Instant: the connection event from which they hold.
  public let instant: UInt16

  public init(channelMap: UInt64, instant: UInt16) {
    self.channelMap = channelMap
    self.instant = instant
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    channelMap = try reader.unsigned(width: 5, "ChM")
    instant = try reader.uint16("Instant")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(channelMap, width: 5)
    writer.append(instant)
  }

  public static var examples: [ChannelMapIndication] { [ChannelMapIndication(channelMap: 0x1F_FFFF_00FF, instant: 77)] }
}

/// LL_CONNECTION_PARAM_REQ: one side proposes ranges for new parameters (Core, Vol 6 Part B 2.4.2.16).
public struct ConnectionParameterRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CONNECTION_PARAM_REQ"
  public static let opcode: UInt8 = 0x0F

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    intervalMinimum = try reader.uint16("Interval_Min")
    intervalMaximum = try reader.uint16("Interval_Max")
    latency = try reader.uint16("Latency")
    timeout = try reader.uint16("Timeout")
    preferredPeriodicity = try reader.uint8("PreferredPeriodicity")
    referenceEventCount = try reader.uint16("ReferenceConnEventCount")
    offsets = Array(try reader.octets(12, "Offset0 to Offset5"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(intervalMinimum)
    writer.append(intervalMaximum)
    writer.append(latency)
    writer.append(timeout)
    writer.append(preferredPeriodicity)
    writer.append(referenceEventCount)
    writer.append(contentsOf: offsets, paddedTo: 12)
  }

  public static var examples: [ConnectionParameterRequest] {
    [
      ConnectionParameterRequest(
        intervalMinimum: 12, intervalMaximum: 24, latency: 0, timeout: 300, preferredPeriodicity: 0,
        referenceEventCount: 9,
        offsets: [UInt8](repeating: 0xFF, count: 12))
    ]
  }
}

/// LL_CONNECTION_PARAM_RSP: the other side's answer to the proposal (Core, Vol 6 Part B 2.4.2.17).
public struct ConnectionParameterResponse: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CONNECTION_PARAM_RSP"
  public static let opcode: UInt8 = 0x10

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    intervalMinimum = try reader.uint16("Interval_Min")
    intervalMaximum = try reader.uint16("Interval_Max")
    latency = try reader.uint16("Latency")
    timeout = try reader.uint16("Timeout")
    preferredPeriodicity = try reader.uint8("PreferredPeriodicity")
    referenceEventCount = try reader.uint16("ReferenceConnEventCount")
    offsets = Array(try reader.octets(12, "Offset0 to Offset5"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(intervalMinimum)
    writer.append(intervalMaximum)
    writer.append(latency)
    writer.append(timeout)
    writer.append(preferredPeriodicity)
    writer.append(referenceEventCount)
    writer.append(contentsOf: offsets, paddedTo: 12)
  }

  public static var examples: [ConnectionParameterResponse] {
    [
      ConnectionParameterResponse(
        intervalMinimum: 12, intervalMaximum: 24, latency: 0, timeout: 300, preferredPeriodicity: 0,
        referenceEventCount: 9,
        offsets: [UInt8](repeating: 0xFF, count: 12))
    ]
  }
}

/// LL_SUBRATE_REQ: the peripheral asks for connection subrating (Core, Vol 6 Part B 2.4.2.39).
public struct SubrateRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_SUBRATE_REQ"
  public static let opcode: UInt8 = 0x26

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

  public init(
    factorMinimum: UInt16, factorMaximum: UInt16, latencyMaximum: UInt16, continuationNumber: UInt16, timeout: UInt16
  ) {
    self.factorMinimum = factorMinimum
    self.factorMaximum = factorMaximum
    self.latencyMaximum = latencyMaximum
    self.continuationNumber = continuationNumber
    self.timeout = timeout
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    factorMinimum = try reader.uint16("SubrateFactorMin")
    factorMaximum = try reader.uint16("SubrateFactorMax")
    latencyMaximum = try reader.uint16("Max_Latency")
    continuationNumber = try reader.uint16("ContinuationNumber")
    timeout = try reader.uint16("Timeout")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(factorMinimum)
    writer.append(factorMaximum)
    writer.append(latencyMaximum)
    writer.append(continuationNumber)
    writer.append(timeout)
  }

  public static var examples: [SubrateRequest] {
    [SubrateRequest(factorMinimum: 1, factorMaximum: 5, latencyMaximum: 0, continuationNumber: 1, timeout: 300)]
  }
}

/// LL_SUBRATE_IND: the central sets connection subrating (Core, Vol 6 Part B 2.4.2.40).
public struct SubrateIndication: LinkLayerControlPacket, Hashable {
  public static let name = "LL_SUBRATE_IND"
  public static let opcode: UInt8 = 0x27

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

  public init(factor: UInt16, baseEvent: UInt16, latency: UInt16, continuationNumber: UInt16, timeout: UInt16) {
    self.factor = factor
    self.baseEvent = baseEvent
    self.latency = latency
    self.continuationNumber = continuationNumber
    self.timeout = timeout
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    factor = try reader.uint16("SubrateFactor")
    baseEvent = try reader.uint16("SubrateBaseEvent")
    latency = try reader.uint16("Latency")
    continuationNumber = try reader.uint16("ContinuationNumber")
    timeout = try reader.uint16("Timeout")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(factor)
    writer.append(baseEvent)
    writer.append(latency)
    writer.append(continuationNumber)
    writer.append(timeout)
  }

  public static var examples: [SubrateIndication] {
    [SubrateIndication(factor: 5, baseEvent: 3, latency: 0, continuationNumber: 1, timeout: 300)]
  }
}
