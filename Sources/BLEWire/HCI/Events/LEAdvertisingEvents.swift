import BLECore

/// Scanning has ended because its duration is over (Core, Vol 4 Part E 7.7.65.17).
public struct LEScanTimeoutEvent: HCIEventParameters, EmptyPacket {
  public static let name = "HCI_LE_Scan_Timeout"
  public static let code = HCIEventCode.lowEnergy(0x11)

  public init() {}
}

/// An advertising set has ended: a central has connected, or its duration or its number of events is over (Core, Vol 4 Part E 7.7.65.18).
public struct LEAdvertisingSetTerminatedEvent: HCIEventParameters, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Advertising_Handle", \.advertisingHandle),
    Field("Connection_Handle", \.connectionHandle),
    Field("Num_Completed_Extended_Advertising_Events", \.completedEvents))
}

/// A scanner has asked an advertising set for its scan response (Core, Vol 4 Part E 7.7.65.19).
public struct LEScanRequestReceivedEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Scan_Request_Received"
  public static let code = HCIEventCode.lowEnergy(0x13)

  public let advertisingHandle: LEAdvertisingHandle
  public let scannerAddress: HCIAddress

  public init(advertisingHandle: LEAdvertisingHandle, scannerAddress: HCIAddress) {
    self.advertisingHandle = advertisingHandle
    self.scannerAddress = scannerAddress
  }

  static let layout = Layout(
    Self.init, Field("Advertising_Handle", \.advertisingHandle), Field("Scanner_Address", \.scannerAddress))
}
