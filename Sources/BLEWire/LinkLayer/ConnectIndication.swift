import BLECore

/// CONNECT_IND and AUX_CONNECT_REQ: the devices of a connection and its parameters (Core, Vol 6 Part B 2.3.3.1).
public struct ConnectIndication: Hashable, Sendable {
  /// With the kinds of both addresses.
  public let header: AdvertisingChannelHeader
  /// InitA.
  public let initiator: DeviceAddress
  /// AdvA.
  public let advertiser: DeviceAddress
  /// AA: the access address of the connection's packets.
  public let accessAddress: UInt32
  /// CRCInit, 24 bits.
  public let crcInitialization: UInt32
  /// WinSize, in units of 1.25 ms.
  public let windowSize: UInt8
  /// WinOffset, in units of 1.25 ms.
  public let windowOffset: UInt16
  /// Interval, in units of 1.25 ms.
  public let interval: UInt16
  /// Latency: connection events that the peripheral may sleep through.
  public let latency: UInt16
  /// Timeout of the supervision, in units of 10 ms.
  public let timeout: UInt16
  /// ChM: bit n stands for data channel n, 37 bits.
  public let channelMap: UInt64
  /// Hop (5 bits) and SCA (the upper 3 bits) as they travel.
  public let hopAndClockAccuracy: UInt8

  public init(
    initiator: DeviceAddress, advertiser: DeviceAddress, supportsChannelSelection2: Bool, accessAddress: UInt32,
    crcInitialization: UInt32, windowSize: UInt8, windowOffset: UInt16, interval: UInt16, latency: UInt16,
    timeout: UInt16, channelMap: UInt64, hop: UInt8
  ) {
    header = AdvertisingChannelHeader(
      type: 5, supportsChannelSelection2: supportsChannelSelection2, transmitter: initiator.kind,
      receiver: advertiser.kind)
    self.initiator = initiator
    self.advertiser = advertiser
    self.accessAddress = accessAddress
    self.crcInitialization = crcInitialization & 0xFF_FFFF
    self.windowSize = windowSize
    self.windowOffset = windowOffset
    self.interval = interval
    self.latency = latency
    self.timeout = timeout
    self.channelMap = channelMap & 0xFF_FFFF_FFFF
    hopAndClockAccuracy = hop & 0x1F
  }

  init(header: AdvertisingChannelHeader, from reader: inout ByteReader) throws(DecodeError) {
    self.header = header
    initiator = try reader.deviceAddress(kind: header.transmitter, "InitA")
    advertiser = try reader.deviceAddress(kind: header.receiver, "AdvA")
    accessAddress = try reader.uint32("AA")
    crcInitialization = try reader.uint24("CRCInit")
    windowSize = try reader.uint8("WinSize")
    windowOffset = try reader.uint16("WinOffset")
    interval = try reader.uint16("Interval")
    latency = try reader.uint16("Latency")
    timeout = try reader.uint16("Timeout")
    channelMap = try reader.unsigned(width: 5, "ChM")
    hopAndClockAccuracy = try reader.uint8("Hop and SCA")
  }

  func encodePayload(into writer: inout ByteWriter) {
    writer.append(initiator)
    writer.append(advertiser)
    writer.append(accessAddress)
    writer.append(uint24: crcInitialization)
    writer.append(windowSize)
    writer.append(windowOffset)
    writer.append(interval)
    writer.append(latency)
    writer.append(timeout)
    writer.append(channelMap, width: 5)
    writer.append(hopAndClockAccuracy)
  }

  static var examples: [ConnectIndication] {
    [
      ConnectIndication(
        initiator: DeviceAddress(0x4A0B_0C0D_0E0F, kind: .random),
        advertiser: DeviceAddress(0xC012_3456_789A, kind: .random), supportsChannelSelection2: true,
        accessAddress: 0x5065_8C3A, crcInitialization: 0x55_5555, windowSize: 2, windowOffset: 1, interval: 24,
        latency: 0, timeout: 72, channelMap: 0x1F_FFFF_FFFF, hop: 7)
    ]
  }
}
