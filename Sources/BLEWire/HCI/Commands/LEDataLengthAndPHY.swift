import BLECore

/// Suggests how long packets on a connection may be (Core, Vol 4 Part E 7.8.33).
public struct LESetDataLength: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Data_Length", HCIOpcode(0x2022))
  public typealias ReturnParameters = HCIConnectionReturn

  public let connectionHandle: ConnectionHandle
  /// The most octets in one packet that are sent, 27 to 251.
  public let transmitOctets: UInt16
  /// The longest time for one packet that is sent, in microseconds, 328 to 17040.
  public let transmitTime: UInt16

  public init(connectionHandle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16) {
    self.connectionHandle = connectionHandle
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
  }

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("TX_Octets", \.transmitOctets),
    Field("TX_Time", \.transmitTime))
}

/// Reads what is suggested for new connections (Core, Vol 4 Part E 7.8.34).
public struct LEReadSuggestedDefaultDataLength: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Suggested_Default_Data_Length", HCIOpcode(0x2023))

  public init() {}

  /// What the controller answers to ``LEReadSuggestedDefaultDataLength``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// The most octets in one packet that are sent, 27 to 251.
    public let transmitOctets: UInt16
    /// The longest time for one packet that is sent, in microseconds, 328 to 17040.
    public let transmitTime: UInt16

    public init(status: HCIErrorCode = .success, transmitOctets: UInt16, transmitTime: UInt16) {
      self.status = status
      self.transmitOctets = transmitOctets
      self.transmitTime = transmitTime
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Suggested_Max_TX_Octets", \.transmitOctets),
      Field("Suggested_Max_TX_Time", \.transmitTime))
  }
}

/// Suggests how long packets may be on new connections (Core, Vol 4 Part E 7.8.35).
public struct LEWriteSuggestedDefaultDataLength: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Write_Suggested_Default_Data_Length", HCIOpcode(0x2024))

  /// The most octets in one packet that are sent, 27 to 251.
  public let transmitOctets: UInt16
  /// The longest time for one packet that is sent, in microseconds, 328 to 17040.
  public let transmitTime: UInt16

  public init(transmitOctets: UInt16, transmitTime: UInt16) {
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
  }

  static let layout = Layout(
    Self.init, Field("Suggested_Max_TX_Octets", \.transmitOctets), Field("Suggested_Max_TX_Time", \.transmitTime))
}

/// Reads how long packets the controller can send and receive (Core, Vol 4 Part E 7.8.46).
public struct LEReadMaximumDataLength: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Maximum_Data_Length", HCIOpcode(0x202F))

  public init() {}

  /// What the controller answers to ``LEReadMaximumDataLength``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// The most octets in one packet that are sent, 27 to 251.
    public let transmitOctets: UInt16
    /// The longest time for one packet that is sent, in microseconds, 328 to 17040.
    public let transmitTime: UInt16
    /// The most octets in one packet that are received.
    public let receiveOctets: UInt16
    /// The longest time for one packet that is received, in microseconds.
    public let receiveTime: UInt16

    public init(
      status: HCIErrorCode = .success, transmitOctets: UInt16, transmitTime: UInt16, receiveOctets: UInt16,
      receiveTime: UInt16
    ) {
      self.status = status
      self.transmitOctets = transmitOctets
      self.transmitTime = transmitTime
      self.receiveOctets = receiveOctets
      self.receiveTime = receiveTime
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Supported_Max_TX_Octets", \.transmitOctets),
      Field("Supported_Max_TX_Time", \.transmitTime), Field("Supported_Max_RX_Octets", \.receiveOctets),
      Field("Supported_Max_RX_Time", \.receiveTime))
  }
}

/// Reads the PHYs of a connection (Core, Vol 4 Part E 7.8.47).
public struct LEReadPHY: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Read_PHY", HCIOpcode(0x2030))

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))

  /// What the controller answers to ``LEReadPHY``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    public let transmitPHY: LEPHY
    public let receivePHY: LEPHY

    public init(
      status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, transmitPHY: LEPHY, receivePHY: LEPHY
    ) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.transmitPHY = transmitPHY
      self.receivePHY = receivePHY
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
      Field("TX_PHY", \.transmitPHY), Field("RX_PHY", \.receivePHY))
  }
}

/// Says which PHYs the host prefers on new connections (Core, Vol 4 Part E 7.8.48).
public struct LESetDefaultPHY: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Default_PHY", HCIOpcode(0x2031))

  public let preference: LEPHYPreference
  public let transmitPHYs: LEPHYSet
  public let receivePHYs: LEPHYSet

  public init(preference: LEPHYPreference, transmitPHYs: LEPHYSet, receivePHYs: LEPHYSet) {
    self.preference = preference
    self.transmitPHYs = transmitPHYs
    self.receivePHYs = receivePHYs
  }

  static let layout = Layout(
    Self.init, Field("All_PHYs", \.preference), Field("TX_PHYs", \.transmitPHYs), Field("RX_PHYs", \.receivePHYs))
}

/// Asks for other PHYs on a connection; the PHY update complete event follows (Core, Vol 4 Part E 7.8.49).
public struct LESetPHY: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_PHY", HCIOpcode(0x2032))

  public let connectionHandle: ConnectionHandle
  public let preference: LEPHYPreference
  public let transmitPHYs: LEPHYSet
  public let receivePHYs: LEPHYSet
  /// For the coded PHY: 1 prefers S=2, 2 prefers S=8.
  public let options: UInt16

  public init(
    connectionHandle: ConnectionHandle, preference: LEPHYPreference, transmitPHYs: LEPHYSet, receivePHYs: LEPHYSet,
    options: UInt16
  ) {
    self.connectionHandle = connectionHandle
    self.preference = preference
    self.transmitPHYs = transmitPHYs
    self.receivePHYs = receivePHYs
    self.options = options
  }

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("All_PHYs", \.preference),
    Field("TX_PHYs", \.transmitPHYs), Field("RX_PHYs", \.receivePHYs), Field("PHY_Options", \.options))
}

/// Reads the transmit power of a connection on a PHY (Core, Vol 4 Part E 7.8.117).
public struct LEEnhancedReadTransmitPowerLevel: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Enhanced_Read_Transmit_Power_Level", HCIOpcode(0x2076))

  public let connectionHandle: ConnectionHandle
  /// 1: 1M, 2: 2M, 3: coded with S=8, 4: coded with S=2.
  public let phy: UInt8

  public init(connectionHandle: ConnectionHandle, phy: UInt8) {
    self.connectionHandle = connectionHandle
    self.phy = phy
  }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle), Field("PHY", \.phy))

  /// What the controller answers to ``LEEnhancedReadTransmitPowerLevel``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    public let phy: UInt8
    /// In dBm; 127 where it is not known.
    public let current: Int8
    /// In dBm.
    public let maximum: Int8

    public init(
      status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, phy: UInt8, current: Int8, maximum: Int8
    ) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.phy = phy
      self.current = current
      self.maximum = maximum
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("PHY", \.phy),
      Field("Current_TX_Power_Level", \.current), Field("Max_TX_Power_Level", \.maximum))
  }
}
