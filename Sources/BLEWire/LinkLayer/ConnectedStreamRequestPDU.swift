import BLECore

/// LL_CIS_REQ: asks for a connected isochronous stream (Core, Vol 6 Part B 2.4.2.32).
public struct ConnectedStreamRequest: LinkLayerControlPacket, Hashable, HasLayout {
  public static let (name, opcode) = ("LL_CIS_REQ", UInt8(0x1F))

  /// CIG_ID.
  public let group: UInt8
  /// CIS_ID.
  public let stream: UInt8
  /// PHY_C_To_P: one bit.
  public let phyCentralToPeripheral: UInt8
  /// PHY_P_To_C: one bit.
  public let phyPeripheralToCentral: UInt8
  /// Max_SDU_C_To_P and Framed: 12 bits, and the uppermost.
  public let serviceDataCentralToPeripheral: UInt16
  /// Max_SDU_P_To_C: 12 bits.
  public let serviceDataPeripheralToCentral: UInt16
  /// SDU_Interval_C_To_P, in microseconds.
  public let serviceIntervalCentralToPeripheral: UInt32
  /// SDU_Interval_P_To_C, in microseconds.
  public let serviceIntervalPeripheralToCentral: UInt32
  /// Max_PDU_C_To_P, in octets.
  public let packetCentralToPeripheral: UInt16
  /// Max_PDU_P_To_C, in octets.
  public let packetPeripheralToCentral: UInt16
  /// NSE.
  public let subevents: UInt8
  /// Sub_Interval, in microseconds.
  public let subinterval: UInt32
  /// BN_C_To_P and BN_P_To_C: four bits each.
  public let burst: UInt8
  /// FT_C_To_P.
  public let flushCentralToPeripheral: UInt8
  /// FT_P_To_C.
  public let flushPeripheralToCentral: UInt8
  /// ISO_Interval, in units of 1.25 ms.
  public let interval: UInt16
  /// CIS_Offset_Min, in microseconds.
  public let offsetMinimum: UInt32
  /// CIS_Offset_Max, in microseconds.
  public let offsetMaximum: UInt32
  /// connEventCount.
  public let eventCount: UInt16

  static let layout = Layout(
    Self.init, Field("CIG_ID", \.group), Field("CIS_ID", \.stream), Field("PHY_C_To_P", \.phyCentralToPeripheral),
    Field("PHY_P_To_C", \.phyPeripheralToCentral), Field("Max_SDU_C_To_P and Framed", \.serviceDataCentralToPeripheral),
    Field("Max_SDU_P_To_C", \.serviceDataPeripheralToCentral),
    Field("SDU_Interval_C_To_P", \.serviceIntervalCentralToPeripheral, .unsigned(octets: 3)),
    Field("SDU_Interval_P_To_C", \.serviceIntervalPeripheralToCentral, .unsigned(octets: 3)),
    Field("Max_PDU_C_To_P", \.packetCentralToPeripheral), Field("Max_PDU_P_To_C", \.packetPeripheralToCentral),
    Field("NSE", \.subevents), Field("Sub_Interval", \.subinterval, .unsigned(octets: 3)),
    Field("BN_C_To_P and BN_P_To_C", \.burst), Field("FT_C_To_P", \.flushCentralToPeripheral),
    Field("FT_P_To_C", \.flushPeripheralToCentral), Field("ISO_Interval", \.interval),
    Field("CIS_Offset_Min", \.offsetMinimum, .unsigned(octets: 3)),
    Field("CIS_Offset_Max", \.offsetMaximum, .unsigned(octets: 3)), Field("connEventCount", \.eventCount))
}
