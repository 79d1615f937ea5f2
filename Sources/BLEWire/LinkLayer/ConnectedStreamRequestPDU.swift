import BLECore

/// LL_CIS_REQ: asks for a connected isochronous stream (Core, Vol 6 Part B 2.4.2.32).
public struct ConnectedStreamRequest: LinkLayerControlPacket, Hashable {
  public static let name = "LL_CIS_REQ"
  public static let opcode: UInt8 = 0x1F

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

  public init(
    group: UInt8, stream: UInt8, phyCentralToPeripheral: UInt8, phyPeripheralToCentral: UInt8,
    serviceDataCentralToPeripheral: UInt16, serviceDataPeripheralToCentral: UInt16,
    serviceIntervalCentralToPeripheral: UInt32, serviceIntervalPeripheralToCentral: UInt32,
    packetCentralToPeripheral: UInt16, packetPeripheralToCentral: UInt16, subevents: UInt8, subinterval: UInt32,
    burst: UInt8, flushCentralToPeripheral: UInt8, flushPeripheralToCentral: UInt8, interval: UInt16,
    offsetMinimum: UInt32, offsetMaximum: UInt32, eventCount: UInt16
  ) {
    self.group = group
    self.stream = stream
    self.phyCentralToPeripheral = phyCentralToPeripheral
    self.phyPeripheralToCentral = phyPeripheralToCentral
    self.serviceDataCentralToPeripheral = serviceDataCentralToPeripheral
    self.serviceDataPeripheralToCentral = serviceDataPeripheralToCentral
    self.serviceIntervalCentralToPeripheral = serviceIntervalCentralToPeripheral
    self.serviceIntervalPeripheralToCentral = serviceIntervalPeripheralToCentral
    self.packetCentralToPeripheral = packetCentralToPeripheral
    self.packetPeripheralToCentral = packetPeripheralToCentral
    self.subevents = subevents
    self.subinterval = subinterval
    self.burst = burst
    self.flushCentralToPeripheral = flushCentralToPeripheral
    self.flushPeripheralToCentral = flushPeripheralToCentral
    self.interval = interval
    self.offsetMinimum = offsetMinimum
    self.offsetMaximum = offsetMaximum
    self.eventCount = eventCount
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    group = try reader.uint8("CIG_ID")
    stream = try reader.uint8("CIS_ID")
    phyCentralToPeripheral = try reader.uint8("PHY_C_To_P")
    phyPeripheralToCentral = try reader.uint8("PHY_P_To_C")
    serviceDataCentralToPeripheral = try reader.uint16("Max_SDU_C_To_P and Framed")
    serviceDataPeripheralToCentral = try reader.uint16("Max_SDU_P_To_C")
    serviceIntervalCentralToPeripheral = try reader.uint24("SDU_Interval_C_To_P")
    serviceIntervalPeripheralToCentral = try reader.uint24("SDU_Interval_P_To_C")
    packetCentralToPeripheral = try reader.uint16("Max_PDU_C_To_P")
    packetPeripheralToCentral = try reader.uint16("Max_PDU_P_To_C")
    subevents = try reader.uint8("NSE")
    subinterval = try reader.uint24("Sub_Interval")
    burst = try reader.uint8("BN_C_To_P and BN_P_To_C")
    flushCentralToPeripheral = try reader.uint8("FT_C_To_P")
    flushPeripheralToCentral = try reader.uint8("FT_P_To_C")
    interval = try reader.uint16("ISO_Interval")
    offsetMinimum = try reader.uint24("CIS_Offset_Min")
    offsetMaximum = try reader.uint24("CIS_Offset_Max")
    eventCount = try reader.uint16("connEventCount")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(group)
    writer.append(stream)
    writer.append(phyCentralToPeripheral)
    writer.append(phyPeripheralToCentral)
    writer.append(serviceDataCentralToPeripheral)
    writer.append(serviceDataPeripheralToCentral)
    writer.append(uint24: serviceIntervalCentralToPeripheral)
    writer.append(uint24: serviceIntervalPeripheralToCentral)
    writer.append(packetCentralToPeripheral)
    writer.append(packetPeripheralToCentral)
    writer.append(subevents)
    writer.append(uint24: subinterval)
    writer.append(burst)
    writer.append(flushCentralToPeripheral)
    writer.append(flushPeripheralToCentral)
    writer.append(interval)
    writer.append(uint24: offsetMinimum)
    writer.append(uint24: offsetMaximum)
    writer.append(eventCount)
  }

  public static var examples: [ConnectedStreamRequest] {
    [
      ConnectedStreamRequest(
        group: 1, stream: 2, phyCentralToPeripheral: 2, phyPeripheralToCentral: 2, serviceDataCentralToPeripheral: 100,
        serviceDataPeripheralToCentral: 0, serviceIntervalCentralToPeripheral: 10_000,
        serviceIntervalPeripheralToCentral: 10_000, packetCentralToPeripheral: 100, packetPeripheralToCentral: 0,
        subevents: 2, subinterval: 400, burst: 1, flushCentralToPeripheral: 1, flushPeripheralToCentral: 1, interval: 8,
        offsetMinimum: 500, offsetMaximum: 1_000, eventCount: 9)
    ]
  }
}
