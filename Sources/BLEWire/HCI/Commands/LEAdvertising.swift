import BLECore

/// Says how to advertise (Core, Vol 4 Part E 7.8.5).
public struct LESetAdvertisingParameters: HCICommand {
  public static let name = "HCI_LE_Set_Advertising_Parameters"
  public static let opcode = HCIOpcode(0x2006)
  public typealias ReturnParameters = HCIStatusReturn

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    intervalMinimum = AdvertisingInterval(rawValue: UInt32(try reader.uint16("Advertising_Interval_Min")))
    intervalMaximum = AdvertisingInterval(rawValue: UInt32(try reader.uint16("Advertising_Interval_Max")))
    type = try reader.value("Advertising_Type")
    ownAddressType = try reader.value("Own_Address_Type")
    peerAddress = try reader.address("Peer_Address")
    channels = try reader.bits("Advertising_Channel_Map")
    filterPolicy = try reader.value("Advertising_Filter_Policy")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(UInt64(intervalMinimum.rawValue), width: 2)
    writer.append(UInt64(intervalMaximum.rawValue), width: 2)
    writer.append(type)
    writer.append(ownAddressType)
    writer.append(peerAddress)
    writer.append(channels)
    writer.append(filterPolicy)
  }

  public static var examples: [Self] {
    [
      Self(
        intervalMinimum: AdvertisingInterval(rawValue: 160), intervalMaximum: AdvertisingInterval(rawValue: 160),
        type: .connectable, ownAddressType: .random, peerAddress: HCIAddress(type: .random, value: 0xC012_3456_789A),
        channels: .all, filterPolicy: .all)
    ]
  }
}

/// Reads the transmit power of advertising (Core, Vol 4 Part E 7.8.6).
public struct LEReadAdvertisingPhysicalChannelTransmitPower: HCICommand {
  public static let name = "HCI_LE_Read_Advertising_Physical_Channel_Tx_Power"
  public static let opcode = HCIOpcode(0x2007)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadAdvertisingPhysicalChannelTransmitPower``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Advertising_Physical_Channel_Tx_Power return parameters"

    public let status: HCIErrorCode
    /// In dBm.
    public let transmitPower: Int8

    public init(status: HCIErrorCode = .success, transmitPower: Int8) {
      self.status = status
      self.transmitPower = transmitPower
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      transmitPower = try reader.int8("TX_Power_Level")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(transmitPower)
    }

    public static var examples: [Self] { [Self(status: .success, transmitPower: -60)] }
  }
}

/// Sets what is advertised (Core, Vol 4 Part E 7.8.7).
public struct LESetAdvertisingData: HCICommand {
  public static let name = "HCI_LE_Set_Advertising_Data"
  public static let opcode = HCIOpcode(0x2008)
  public typealias ReturnParameters = HCIStatusReturn

  /// At most 31 octets.
  public let data: ArraySlice<UInt8>

  public init(data: ArraySlice<UInt8>) {
    self.data = data
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    data = try reader.legacyAdvertisingData()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(legacyAdvertisingData: data)
  }

  public static var examples: [Self] { [Self(data: [0x02, 0x01, 0x06])] }
}

/// Sets what an active scanner is told (Core, Vol 4 Part E 7.8.8).
public struct LESetScanResponseData: HCICommand {
  public static let name = "HCI_LE_Set_Scan_Response_Data"
  public static let opcode = HCIOpcode(0x2009)
  public typealias ReturnParameters = HCIStatusReturn

  /// At most 31 octets.
  public let data: ArraySlice<UInt8>

  public init(data: ArraySlice<UInt8>) {
    self.data = data
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    data = try reader.legacyAdvertisingData()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(legacyAdvertisingData: data)
  }

  public static var examples: [Self] { [Self(data: [0x02, 0x01, 0x06])] }
}

/// Starts or stops advertising (Core, Vol 4 Part E 7.8.9).
public struct LESetAdvertisingEnable: HCICommand {
  public static let name = "HCI_LE_Set_Advertising_Enable"
  public static let opcode = HCIOpcode(0x200A)
  public typealias ReturnParameters = HCIStatusReturn

  public let isEnabled: Bool

  public init(isEnabled: Bool) {
    self.isEnabled = isEnabled
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    isEnabled = try reader.flag("Advertising_Enable")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(isEnabled)
  }

  public static var examples: [Self] { [Self(isEnabled: true)] }
}
