import BLECore

/// Says how to advertise (Core, Vol 4 Part E 7.8.5).
public struct LESetAdvertisingParameters: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Advertising_Parameters", HCIOpcode(0x2006))

  public let intervalMinimum: AdvertisingInterval
  public let intervalMaximum: AdvertisingInterval
  public let type: LEAdvertisingType
  public let ownAddressType: LEOwnAddressType
  /// For directed advertising, and to find the IRK for a private own address.
  public let peerAddress: HCIAddress
  public let channels: LEPrimaryChannels
  public let filterPolicy: LEAdvertisingFilterPolicy

  public init(
    intervalMinimum: AdvertisingInterval, intervalMaximum: AdvertisingInterval, type: LEAdvertisingType,
    ownAddressType: LEOwnAddressType, peerAddress: HCIAddress, channels: LEPrimaryChannels,
    filterPolicy: LEAdvertisingFilterPolicy
  ) {
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.type = type
    self.ownAddressType = ownAddressType
    self.peerAddress = peerAddress
    self.channels = channels
    self.filterPolicy = filterPolicy
  }

  static let layout = Layout(
    Self.init, Field("Advertising_Interval_Min", \.intervalMinimum, .unsigned(octets: 2)),
    Field("Advertising_Interval_Max", \.intervalMaximum, .unsigned(octets: 2)), Field("Advertising_Type", \.type),
    Field("Own_Address_Type", \.ownAddressType), Field("Peer_Address", \.peerAddress),
    Field("Advertising_Channel_Map", \.channels), Field("Advertising_Filter_Policy", \.filterPolicy))
}

/// Reads the transmit power of advertising (Core, Vol 4 Part E 7.8.6).
public struct LEReadAdvertisingPhysicalChannelTransmitPower: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Advertising_Physical_Channel_Tx_Power", HCIOpcode(0x2007))

  public init() {}

  /// What the controller answers to ``LEReadAdvertisingPhysicalChannelTransmitPower``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// In dBm.
    public let transmitPower: Int8

    public init(status: HCIErrorCode = .success, transmitPower: Int8) {
      self.status = status
      self.transmitPower = transmitPower
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("TX_Power_Level", \.transmitPower))
  }
}

/// Sets what is advertised (Core, Vol 4 Part E 7.8.7).
public struct LESetAdvertisingData: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Advertising_Data", HCIOpcode(0x2008))

  /// At most 31 octets.
  public let data: ArraySlice<UInt8>

  public init(data: ArraySlice<UInt8>) { self.data = data }

  static let layout = Layout(
    Self.init, Field("Advertising_Data", \.data, .legacyAdvertisingData(by: "Advertising_Data_Length")))
}

/// Sets the data that active scanners receive on request (Core, Vol 4 Part E 7.8.8).
public struct LESetScanResponseData: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Scan_Response_Data", HCIOpcode(0x2009))

  /// At most 31 octets.
  public let data: ArraySlice<UInt8>

  public init(data: ArraySlice<UInt8>) { self.data = data }

  static let layout = Layout(
    Self.init, Field("Scan_Response_Data", \.data, .legacyAdvertisingData(by: "Scan_Response_Data_Length")))
}

/// Starts or stops advertising (Core, Vol 4 Part E 7.8.9).
public struct LESetAdvertisingEnable: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Advertising_Enable", HCIOpcode(0x200A))

  public let isEnabled: Bool

  public init(isEnabled: Bool) { self.isEnabled = isEnabled }

  static let layout = Layout(Self.init, Field("Advertising_Enable", \.isEnabled))
}
