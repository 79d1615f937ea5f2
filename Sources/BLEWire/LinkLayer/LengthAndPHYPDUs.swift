import BLECore

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
