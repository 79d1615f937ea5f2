import BLECore

/// LL_MIN_USED_CHANNELS_IND: the peripheral wants at least so many channels (Core, Vol 6 Part B 2.4.2.26).
public struct MinimumUsedChannelsIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_MIN_USED_CHANNELS_IND", UInt8(0x19))

  /// PHYS: a bit for each PHY this is about.
  public let phys: UInt8
  /// MinUsedChannels.
  public let minimumUsedChannels: UInt8

  static let layout = Layout(Self.init, Field("PHYS", \.phys), Field("MinUsedChannels", \.minimumUsedChannels))
}

/// LL_CLOCK_ACCURACY_REQ: the sender's sleep clock, asking for the other side's (Core, Vol 6 Part B 2.4.2.30).
public struct ClockAccuracyRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CLOCK_ACCURACY_REQ", UInt8(0x1D))

  /// SCA: 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
  public let accuracy: UInt8

  static let layout = Layout(Self.init, Field("SCA", \.accuracy))
}

/// LL_CLOCK_ACCURACY_RSP: the sender's sleep clock (Core, Vol 6 Part B 2.4.2.31).
public struct ClockAccuracyResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CLOCK_ACCURACY_RSP", UInt8(0x1E))

  /// SCA: 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
  public let accuracy: UInt8

  static let layout = Layout(Self.init, Field("SCA", \.accuracy))
}
