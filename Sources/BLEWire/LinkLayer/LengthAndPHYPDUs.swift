import BLECore

/// LL_LENGTH_REQ: how long packets may be, asking for the other side's limits (Core, Vol 6 Part B 2.4.2.21).
public struct LengthRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_LENGTH_REQ", UInt8(0x14))

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

  static let layout = Layout(
    Self.init, Field("MaxRxOctets", \.maximumReceiveOctets), Field("MaxRxTime", \.maximumReceiveTime),
    Field("MaxTxOctets", \.maximumTransmitOctets), Field("MaxTxTime", \.maximumTransmitTime))
}

/// LL_LENGTH_RSP: how long packets may be (Core, Vol 6 Part B 2.4.2.22).
public struct LengthResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_LENGTH_RSP", UInt8(0x15))

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

  static let layout = Layout(
    Self.init, Field("MaxRxOctets", \.maximumReceiveOctets), Field("MaxRxTime", \.maximumReceiveTime),
    Field("MaxTxOctets", \.maximumTransmitOctets), Field("MaxTxTime", \.maximumTransmitTime))
}

/// LL_PHY_REQ: the PHYs that one side likes, asking for the other side's (Core, Vol 6 Part B 2.4.2.23).
public struct PhyRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_PHY_REQ", UInt8(0x16))

  /// TX_PHYS: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
  public let transmit: UInt8
  /// RX_PHYS, in the same bits.
  public let receive: UInt8

  public init(transmit: UInt8, receive: UInt8) {
    self.transmit = transmit
    self.receive = receive
  }

  static let layout = Layout(Self.init, Field("TX_PHYS", \.transmit), Field("RX_PHYS", \.receive))
}

/// LL_PHY_RSP: the PHYs that the other side likes (Core, Vol 6 Part B 2.4.2.24).
public struct PhyResponse: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_PHY_RSP", UInt8(0x17))

  /// TX_PHYS: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
  public let transmit: UInt8
  /// RX_PHYS, in the same bits.
  public let receive: UInt8

  public init(transmit: UInt8, receive: UInt8) {
    self.transmit = transmit
    self.receive = receive
  }

  static let layout = Layout(Self.init, Field("TX_PHYS", \.transmit), Field("RX_PHYS", \.receive))
}

/// LL_PHY_UPDATE_IND: the central changes the PHYs (Core, Vol 6 Part B 2.4.2.25).
public struct PhyUpdateIndication: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_PHY_UPDATE_IND", UInt8(0x18))

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

  static let layout = Layout(
    Self.init, Field("PHY_C_To_P", \.centralToPeripheral), Field("PHY_P_To_C", \.peripheralToCentral),
    Field("Instant", \.instant))
}
