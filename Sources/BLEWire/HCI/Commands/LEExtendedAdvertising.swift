import BLECore

/// Sets the random address of an advertising set (Core, Vol 4 Part E 7.8.52).
public struct LESetAdvertisingSetRandomAddress: HCICommand {
  public static let name = "HCI_LE_Set_Advertising_Set_Random_Address"
  public static let opcode = HCIOpcode(0x2035)
  public typealias ReturnParameters = HCIStatusReturn

  public let advertisingHandle: LEAdvertisingHandle
  public let address: DeviceAddress

  public init(advertisingHandle: LEAdvertisingHandle, address: DeviceAddress) {
    self.advertisingHandle = advertisingHandle
    self.address = address
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    advertisingHandle = try reader.value("Advertising_Handle")
    address = try reader.deviceAddress(kind: .random, "Random_Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(advertisingHandle)
    writer.append(address)
  }

  public static var examples: [Self] {
    [
      Self(
        advertisingHandle: LEAdvertisingHandle(rawValue: 0x01), address: DeviceAddress(0x7012_3456_789A, kind: .random))
    ]
  }
}

/// Makes an advertising set or says how it advertises (Core, Vol 4 Part E 7.8.53).
public struct LESetExtendedAdvertisingParameters: HCICommand {
  public static let name = "HCI_LE_Set_Extended_Advertising_Parameters [v1]"
  public static let opcode = HCIOpcode(0x2036)

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    advertisingHandle = try reader.value("Advertising_Handle")
    properties = try reader.bits("Advertising_Event_Properties")
    primaryIntervalMinimum = AdvertisingInterval(rawValue: try reader.uint24("Primary_Advertising_Interval_Min"))
    primaryIntervalMaximum = AdvertisingInterval(rawValue: try reader.uint24("Primary_Advertising_Interval_Max"))
    primaryChannels = try reader.bits("Primary_Advertising_Channel_Map")
    ownAddressType = try reader.value("Own_Address_Type")
    peerAddress = try reader.address("Peer_Address")
    filterPolicy = try reader.value("Advertising_Filter_Policy")
    transmitPower = try reader.int8("Advertising_TX_Power")
    primaryPHY = try reader.value("Primary_Advertising_PHY")
    secondaryMaximumSkip = try reader.uint8("Secondary_Advertising_Max_Skip")
    secondaryPHY = try reader.value("Secondary_Advertising_PHY")
    setIdentifier = try reader.uint8("Advertising_SID")
    reportsScanRequests = try reader.flag("Scan_Request_Notification_Enable")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(advertisingHandle)
    writer.append(properties)
    writer.append(uint24: primaryIntervalMinimum.rawValue)
    writer.append(uint24: primaryIntervalMaximum.rawValue)
    writer.append(primaryChannels)
    writer.append(ownAddressType)
    writer.append(peerAddress)
    writer.append(filterPolicy)
    writer.append(transmitPower)
    writer.append(primaryPHY)
    writer.append(secondaryMaximumSkip)
    writer.append(secondaryPHY)
    writer.append(setIdentifier)
    writer.append(reportsScanRequests)
  }

  public static var examples: [Self] {
    [
      Self(
        advertisingHandle: LEAdvertisingHandle(rawValue: 0x01), properties: [.connectable, .scannable, .legacy],
        primaryIntervalMinimum: AdvertisingInterval(rawValue: 0x01_0000),
        primaryIntervalMaximum: AdvertisingInterval(rawValue: 0x01_0000), primaryChannels: .all,
        ownAddressType: .random, peerAddress: HCIAddress(type: .random, value: 0xC012_3456_789A), filterPolicy: .all,
        transmitPower: 127, primaryPHY: .le1M, secondaryMaximumSkip: 0x05, secondaryPHY: .le2M, setIdentifier: 0x05,
        reportsScanRequests: true)
    ]
  }

  /// What the controller answers to ``LESetExtendedAdvertisingParameters``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Set_Extended_Advertising_Parameters [v1] return parameters"

    public let status: HCIErrorCode
    /// In dBm.
    public let selectedTransmitPower: Int8

    public init(status: HCIErrorCode = .success, selectedTransmitPower: Int8) {
      self.status = status
      self.selectedTransmitPower = selectedTransmitPower
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      selectedTransmitPower = try reader.int8("Selected_TX_Power")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(selectedTransmitPower)
    }

    public static var examples: [Self] { [Self(status: .success, selectedTransmitPower: -60)] }
  }
}

/// Sets what an advertising set tells, or a part of it (Core, Vol 4 Part E 7.8.54).
public struct LESetExtendedAdvertisingData: HCICommand {
  public static let name = "HCI_LE_Set_Extended_Advertising_Data"
  public static let opcode = HCIOpcode(0x2037)
  public typealias ReturnParameters = HCIStatusReturn

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    advertisingHandle = try reader.value("Advertising_Handle")
    operation = try reader.value("Operation")
    fragmentPreference = try reader.value("Fragment_Preference")
    data = try reader.octets(Int(try reader.uint8("Advertising_Data_Length")), "Advertising_Data")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(advertisingHandle)
    writer.append(operation)
    writer.append(fragmentPreference)
    writer.append(UInt8(clamping: data.count))
    writer.append(contentsOf: data.prefix(255))
  }

  public static var examples: [Self] {
    [
      Self(
        advertisingHandle: LEAdvertisingHandle(rawValue: 0x01), operation: .complete,
        fragmentPreference: .shouldNotFragment, data: [0x02, 0x01, 0x06])
    ]
  }
}

/// Sets what an advertising set tells an active scanner, or a part of it (Core, Vol 4 Part E 7.8.55).
public struct LESetExtendedScanResponseData: HCICommand {
  public static let name = "HCI_LE_Set_Extended_Scan_Response_Data"
  public static let opcode = HCIOpcode(0x2038)
  public typealias ReturnParameters = HCIStatusReturn

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    advertisingHandle = try reader.value("Advertising_Handle")
    operation = try reader.value("Operation")
    fragmentPreference = try reader.value("Fragment_Preference")
    data = try reader.octets(Int(try reader.uint8("Scan_Response_Data_Length")), "Scan_Response_Data")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(advertisingHandle)
    writer.append(operation)
    writer.append(fragmentPreference)
    writer.append(UInt8(clamping: data.count))
    writer.append(contentsOf: data.prefix(255))
  }

  public static var examples: [Self] {
    [
      Self(
        advertisingHandle: LEAdvertisingHandle(rawValue: 0x01), operation: .complete,
        fragmentPreference: .shouldNotFragment, data: [0x02, 0x01, 0x06])
    ]
  }
}

/// Starts or stops advertising sets (Core, Vol 4 Part E 7.8.56).
public struct LESetExtendedAdvertisingEnable: HCICommand {
  public static let name = "HCI_LE_Set_Extended_Advertising_Enable"
  public static let opcode = HCIOpcode(0x2039)
  public typealias ReturnParameters = HCIStatusReturn

  /// One set and how long it advertises.
  public struct Entry: Equatable, Sendable {
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
  }

  public let isEnabled: Bool
  /// None of them, to stop, means all sets.
  public let sets: [Entry]

  public init(isEnabled: Bool, sets: [Entry]) {
    self.isEnabled = isEnabled
    self.sets = sets
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    isEnabled = try reader.flag("Enable")
    let count = Int(try reader.uint8("Num_Sets"))
    var sets: [Entry] = []
    for _ in 0..<count {
      sets.append(
        Entry(
          advertisingHandle: try reader.value("Advertising_Handle"), duration: try reader.centiseconds("Duration"),
          maximumEvents: try reader.uint8("Max_Extended_Advertising_Events")))
    }
    self.sets = sets
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(isEnabled)
    writer.append(UInt8(min(sets.count, 63)))
    for entry in sets.prefix(63) {
      writer.append(entry.advertisingHandle)
      writer.append(entry.duration)
      writer.append(entry.maximumEvents)
    }
  }

  public static var examples: [Self] {
    [
      Self(isEnabled: false, sets: []),
      Self(
        isEnabled: true,
        sets: [
          Entry(advertisingHandle: LEAdvertisingHandle(rawValue: 0)),
          Entry(
            advertisingHandle: LEAdvertisingHandle(rawValue: 1), duration: HCICentiseconds(rawValue: 500),
            maximumEvents: 7),
        ]),
    ]
  }
}
