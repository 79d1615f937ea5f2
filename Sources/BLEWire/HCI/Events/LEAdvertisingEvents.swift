import BLECore

/// Scanning has ended because its duration is over (Core, Vol 4 Part E 7.7.65.17).
public struct LEScanTimeoutEvent: HCIEventParameters {
  public static let name = "HCI_LE_Scan_Timeout"
  public static let code = HCIEventCode.lowEnergy(0x11)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}

/// An advertising set has ended: a central has connected, or its duration or its number of events is over (Core, Vol 4 Part E 7.7.65.18).
public struct LEAdvertisingSetTerminatedEvent: HCIEventParameters {
  public static let name = "HCI_LE_Advertising_Set_Terminated"
  public static let code = HCIEventCode.lowEnergy(0x12)

  public let status: HCIErrorCode
  public let advertisingHandle: LEAdvertisingHandle
  public let connectionHandle: ConnectionHandle
  public let completedEvents: UInt8

  public init(
    status: HCIErrorCode, advertisingHandle: LEAdvertisingHandle, connectionHandle: ConnectionHandle,
    completedEvents: UInt8
  ) {
    self.status = status
    self.advertisingHandle = advertisingHandle
    self.connectionHandle = connectionHandle
    self.completedEvents = completedEvents
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    advertisingHandle = try reader.value("Advertising_Handle")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    completedEvents = try reader.uint8("Num_Completed_Extended_Advertising_Events")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(advertisingHandle)
    writer.append(connectionHandle)
    writer.append(completedEvents)
  }

  public static var examples: [Self] {
    [
      Self(
        status: .success, advertisingHandle: LEAdvertisingHandle(rawValue: 0x01),
        connectionHandle: ConnectionHandle(0x0040), completedEvents: 0x05)
    ]
  }
}

/// A scanner has asked an advertising set for its scan response (Core, Vol 4 Part E 7.7.65.19).
public struct LEScanRequestReceivedEvent: HCIEventParameters {
  public static let name = "HCI_LE_Scan_Request_Received"
  public static let code = HCIEventCode.lowEnergy(0x13)

  public let advertisingHandle: LEAdvertisingHandle
  public let scannerAddress: HCIAddress

  public init(advertisingHandle: LEAdvertisingHandle, scannerAddress: HCIAddress) {
    self.advertisingHandle = advertisingHandle
    self.scannerAddress = scannerAddress
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    advertisingHandle = try reader.value("Advertising_Handle")
    scannerAddress = try reader.address("Scanner_Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(advertisingHandle)
    writer.append(scannerAddress)
  }

  public static var examples: [Self] {
    [
      Self(
        advertisingHandle: LEAdvertisingHandle(rawValue: 0x01),
        scannerAddress: HCIAddress(type: .random, value: 0xC012_3456_789A))
    ]
  }
}
