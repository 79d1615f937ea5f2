import BLECore

/// Sets the mask of events for the host (Core, Vol 4 Part E 7.3.1).
public struct HCISetEventMask: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Set_Event_Mask", HCIOpcode(0x0C01))

  public let mask: HCIEventMask

  public init(mask: HCIEventMask) { self.mask = mask }

  static let layout = Layout(Self.init, Field("Event_Mask", \.mask))
}

/// Brings the controller to its initial state; connections end without an event (Core, Vol 4 Part E 7.3.2).
public struct HCIReset: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_Reset", HCIOpcode(0x0C03))

  public init() {}
}

/// Reads the transmit power of a connection (Core, Vol 4 Part E 7.3.35).
public struct HCIReadTransmitPowerLevel: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Read_Transmit_Power_Level", HCIOpcode(0x0C2D))

  public let connectionHandle: ConnectionHandle
  public let type: HCITransmitPowerType

  public init(connectionHandle: ConnectionHandle, type: HCITransmitPowerType) {
    self.connectionHandle = connectionHandle
    self.type = type
  }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle), Field("Type", \.type))

  /// What the controller answers to ``HCIReadTransmitPowerLevel``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    /// In dBm.
    public let transmitPower: Int8

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, transmitPower: Int8) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.transmitPower = transmitPower
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
      Field("TX_Power_Level", \.transmitPower))
  }
}

/// Sets the mask of events of the second page for the host (Core, Vol 4 Part E 7.3.69).
public struct HCISetEventMaskPage2: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Set_Event_Mask_Page_2", HCIOpcode(0x0C63))

  public let mask: HCIEventMaskPage2

  public init(mask: HCIEventMaskPage2) { self.mask = mask }

  static let layout = Layout(Self.init, Field("Event_Mask_Page_2", \.mask))
}

/// Tells a controller of both transports that the host uses LE (Core, Vol 4 Part E 7.3.79).
public struct HCIWriteLEHostSupport: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Write_LE_Host_Support", HCIOpcode(0x0C6D))

  public let isSupported: Bool
  /// Was simultaneous LE and BR/EDR; 0x00.
  public let simultaneous: UInt8

  public init(isSupported: Bool, simultaneous: UInt8) {
    self.isSupported = isSupported
    self.simultaneous = simultaneous
  }

  static let layout = Layout(Self.init, Field("LE_Supported_Host", \.isSupported), Field("Unused", \.simultaneous))
}

/// Reads the maximum time of an encrypted link without an authenticated packet (Core, Vol 4 Part E 7.3.93).
public struct HCIReadAuthenticatedPayloadTimeout: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Read_Authenticated_Payload_Timeout", HCIOpcode(0x0C7B))

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))

  /// What the controller answers to ``HCIReadAuthenticatedPayloadTimeout``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    public let timeout: HCICentiseconds

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, timeout: HCICentiseconds) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.timeout = timeout
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
      Field("Authenticated_Payload_Timeout", \.timeout))
  }
}

/// Sets the maximum time of an encrypted link without an authenticated packet (Core, Vol 4 Part E 7.3.94).
public struct HCIWriteAuthenticatedPayloadTimeout: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Write_Authenticated_Payload_Timeout", HCIOpcode(0x0C7C))
  public typealias ReturnParameters = HCIConnectionReturn

  public let connectionHandle: ConnectionHandle
  public let timeout: HCICentiseconds

  public init(connectionHandle: ConnectionHandle, timeout: HCICentiseconds) {
    self.connectionHandle = connectionHandle
    self.timeout = timeout
  }

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("Authenticated_Payload_Timeout", \.timeout))
}
