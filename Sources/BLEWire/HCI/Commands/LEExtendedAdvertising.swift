import BLECore

/// Sets the random address of an advertising set (Core, Vol 4 Part E 7.8.52).
public struct LESetAdvertisingSetRandomAddress: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Advertising_Set_Random_Address", HCIOpcode(0x2035))

  public let advertisingHandle: LEAdvertisingHandle
  public let address: DeviceAddress

  public init(advertisingHandle: LEAdvertisingHandle, address: DeviceAddress) {
    self.advertisingHandle = advertisingHandle
    self.address = address
  }

  static let layout = Layout(
    Self.init, Field("Advertising_Handle", \.advertisingHandle), Field("Random_Address", \.address, .address(.random)))
}

/// Makes an advertising set or says how it advertises (Core, Vol 4 Part E 7.8.53).
public struct LESetExtendedAdvertisingParameters: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Extended_Advertising_Parameters [v1]", HCIOpcode(0x2036))

  public let advertisingHandle: LEAdvertisingHandle
  public let properties: LEAdvertisingProperties
  public let primaryIntervalMinimum: AdvertisingInterval
  public let primaryIntervalMaximum: AdvertisingInterval
  public let primaryChannels: LEPrimaryChannels
  public let ownAddressType: LEOwnAddressType
  public let peerAddress: HCIAddress
  public let filterPolicy: LEAdvertisingFilterPolicy
  /// In dBm; 127 leaves the choice to the controller.
  public let transmitPower: Int8
  public let primaryPHY: LEPHY
  /// Advertising events that may be skipped before the auxiliary packet.
  public let secondaryMaximumSkip: UInt8
  public let secondaryPHY: LEPHY
  /// 0x00 to 0x0F.
  public let setIdentifier: UInt8
  public let reportsScanRequests: Bool

  public init(
    advertisingHandle: LEAdvertisingHandle, properties: LEAdvertisingProperties,
    primaryIntervalMinimum: AdvertisingInterval, primaryIntervalMaximum: AdvertisingInterval,
    primaryChannels: LEPrimaryChannels, ownAddressType: LEOwnAddressType, peerAddress: HCIAddress,
    filterPolicy: LEAdvertisingFilterPolicy, transmitPower: Int8, primaryPHY: LEPHY, secondaryMaximumSkip: UInt8,
    secondaryPHY: LEPHY, setIdentifier: UInt8, reportsScanRequests: Bool
  ) {
    self.advertisingHandle = advertisingHandle
    self.properties = properties
    self.primaryIntervalMinimum = primaryIntervalMinimum
    self.primaryIntervalMaximum = primaryIntervalMaximum
    self.primaryChannels = primaryChannels
    self.ownAddressType = ownAddressType
    self.peerAddress = peerAddress
    self.filterPolicy = filterPolicy
    self.transmitPower = transmitPower
    self.primaryPHY = primaryPHY
    self.secondaryMaximumSkip = secondaryMaximumSkip
    self.secondaryPHY = secondaryPHY
    self.setIdentifier = setIdentifier
    self.reportsScanRequests = reportsScanRequests
  }

  static let layout = Layout(
    Self.init, Field("Advertising_Handle", \.advertisingHandle), Field("Advertising_Event_Properties", \.properties),
    Field("Primary_Advertising_Interval_Min", \.primaryIntervalMinimum, .unsigned(octets: 3)),
    Field("Primary_Advertising_Interval_Max", \.primaryIntervalMaximum, .unsigned(octets: 3)),
    Field("Primary_Advertising_Channel_Map", \.primaryChannels), Field("Own_Address_Type", \.ownAddressType),
    Field("Peer_Address", \.peerAddress), Field("Advertising_Filter_Policy", \.filterPolicy),
    Field("Advertising_TX_Power", \.transmitPower), Field("Primary_Advertising_PHY", \.primaryPHY),
    Field("Secondary_Advertising_Max_Skip", \.secondaryMaximumSkip), Field("Secondary_Advertising_PHY", \.secondaryPHY),
    Field("Advertising_SID", \.setIdentifier), Field("Scan_Request_Notification_Enable", \.reportsScanRequests))

  /// What the controller answers to ``LESetExtendedAdvertisingParameters``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// In dBm.
    public let selectedTransmitPower: Int8

    public init(status: HCIErrorCode = .success, selectedTransmitPower: Int8) {
      self.status = status
      self.selectedTransmitPower = selectedTransmitPower
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Selected_TX_Power", \.selectedTransmitPower))
  }
}

/// Sets what an advertising set tells, or a part of it (Core, Vol 4 Part E 7.8.54).
public struct LESetExtendedAdvertisingData: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Extended_Advertising_Data", HCIOpcode(0x2037))

  public let advertisingHandle: LEAdvertisingHandle
  public let operation: LEDataOperation
  public let fragmentPreference: LEFragmentPreference
  /// At most 251 octets.
  public let data: ArraySlice<UInt8>

  public init(
    advertisingHandle: LEAdvertisingHandle, operation: LEDataOperation, fragmentPreference: LEFragmentPreference,
    data: ArraySlice<UInt8>
  ) {
    self.advertisingHandle = advertisingHandle
    self.operation = operation
    self.fragmentPreference = fragmentPreference
    self.data = data
  }

  static let layout = Layout(
    Self.init, Field("Advertising_Handle", \.advertisingHandle), Field("Operation", \.operation),
    Field("Fragment_Preference", \.fragmentPreference),
    Field("Advertising_Data", \.data, .counted(by: "Advertising_Data_Length")))
}

/// Sets what an advertising set tells an active scanner, or a part of it (Core, Vol 4 Part E 7.8.55).
public struct LESetExtendedScanResponseData: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Extended_Scan_Response_Data", HCIOpcode(0x2038))

  public let advertisingHandle: LEAdvertisingHandle
  public let operation: LEDataOperation
  public let fragmentPreference: LEFragmentPreference
  /// At most 251 octets.
  public let data: ArraySlice<UInt8>

  public init(
    advertisingHandle: LEAdvertisingHandle, operation: LEDataOperation, fragmentPreference: LEFragmentPreference,
    data: ArraySlice<UInt8>
  ) {
    self.advertisingHandle = advertisingHandle
    self.operation = operation
    self.fragmentPreference = fragmentPreference
    self.data = data
  }

  static let layout = Layout(
    Self.init, Field("Advertising_Handle", \.advertisingHandle), Field("Operation", \.operation),
    Field("Fragment_Preference", \.fragmentPreference),
    Field("Scan_Response_Data", \.data, .counted(by: "Scan_Response_Data_Length")))
}

/// Starts or stops advertising sets (Core, Vol 4 Part E 7.8.56).
public struct LESetExtendedAdvertisingEnable: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Extended_Advertising_Enable", HCIOpcode(0x2039))

  /// One set and how long it advertises.
  public struct Entry: Equatable, HasLayout, WireValue {
    public let advertisingHandle: LEAdvertisingHandle
    /// 0 advertises until it is stopped.
    public let duration: HCICentiseconds
    /// How many advertising events there are at most; 0 for any number.
    public let maximumEvents: UInt8

    public init(
      advertisingHandle: LEAdvertisingHandle, duration: HCICentiseconds = HCICentiseconds(rawValue: 0),
      maximumEvents: UInt8 = 0
    ) {
      self.advertisingHandle = advertisingHandle
      self.duration = duration
      self.maximumEvents = maximumEvents
    }

    static let layout = Layout(
      Self.init, Field("Advertising_Handle", \.advertisingHandle), Field("Duration", \.duration),
      Field("Max_Extended_Advertising_Events", \.maximumEvents))
  }

  public let isEnabled: Bool
  /// None of them, to stop, means all sets.
  public let sets: [Entry]

  public init(isEnabled: Bool, sets: [Entry]) {
    self.isEnabled = isEnabled
    self.sets = sets
  }

  static let layout = Layout(
    Self.init, Field("Enable", \.isEnabled), Field("Set", \.sets, .counted(by: "Num_Sets", limit: 63)))
}
