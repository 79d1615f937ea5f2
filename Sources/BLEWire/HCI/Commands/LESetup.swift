import BLECore

/// Says which LE meta events the host wants (Core, Vol 4 Part E 7.8.1).
public struct LESetEventMask: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Event_Mask", HCIOpcode(0x2001))

  public let mask: LEEventMask

  public init(mask: LEEventMask) { self.mask = mask }

  static let layout = Layout(Self.init, Field("LE_Event_Mask", \.mask))
}

/// Reads the controller's buffers for data (Core, Vol 4 Part E 7.8.2).
public struct LEReadBufferSize: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Buffer_Size [v1]", HCIOpcode(0x2002))

  public init() {}

  /// What the controller answers to ``LEReadBufferSize``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// Octets of data in one packet, without the header; 0 means that LE shares the buffers of BR/EDR.
    public let aclDataPacketLength: UInt16
    /// Packets that the controller can hold.
    public let aclDataPacketCount: UInt8

    public init(status: HCIErrorCode = .success, aclDataPacketLength: UInt16, aclDataPacketCount: UInt8) {
      self.status = status
      self.aclDataPacketLength = aclDataPacketLength
      self.aclDataPacketCount = aclDataPacketCount
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("LE_ACL_Data_Packet_Length", \.aclDataPacketLength),
      Field("Total_Num_LE_ACL_Data_Packets", \.aclDataPacketCount))
  }
}

/// Reads the controller's buffers for data, those for isochronous data too (Core, Vol 4 Part E 7.8.2).
public struct LEReadBufferSizeV2: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Buffer_Size [v2]", HCIOpcode(0x2060))

  public init() {}

  /// What the controller answers to ``LEReadBufferSizeV2``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// Octets of data in one packet, without the header; 0 means that LE shares the buffers of BR/EDR.
    public let aclDataPacketLength: UInt16
    /// Packets that the controller can hold.
    public let aclDataPacketCount: UInt8
    /// Octets of data in one packet; 0 where there is no isochronous data.
    public let isoDataPacketLength: UInt16
    /// Packets that the controller can hold.
    public let isoDataPacketCount: UInt8

    public init(
      status: HCIErrorCode = .success, aclDataPacketLength: UInt16, aclDataPacketCount: UInt8,
      isoDataPacketLength: UInt16, isoDataPacketCount: UInt8
    ) {
      self.status = status
      self.aclDataPacketLength = aclDataPacketLength
      self.aclDataPacketCount = aclDataPacketCount
      self.isoDataPacketLength = isoDataPacketLength
      self.isoDataPacketCount = isoDataPacketCount
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("LE_ACL_Data_Packet_Length", \.aclDataPacketLength),
      Field("Total_Num_LE_ACL_Data_Packets", \.aclDataPacketCount),
      Field("ISO_Data_Packet_Length", \.isoDataPacketLength), Field("Total_Num_ISO_Data_Packets", \.isoDataPacketCount))
  }
}

/// Reads what the link layer can do (Core, Vol 4 Part E 7.8.3).
public struct LEReadLocalSupportedFeatures: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Local_Supported_Features", HCIOpcode(0x2003))

  public init() {}

  /// What the controller answers to ``LEReadLocalSupportedFeatures``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let features: LEFeatures

    public init(status: HCIErrorCode = .success, features: LEFeatures) {
      self.status = status
      self.features = features
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("LE_Features", \.features))
  }
}

/// Sets the random address for scanning, initiating and legacy advertising (Core, Vol 4 Part E 7.8.4).
public struct LESetRandomAddress: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Random_Address", HCIOpcode(0x2005))

  public let address: DeviceAddress

  public init(address: DeviceAddress) { self.address = address }

  static let layout = Layout(Self.init, Field("Random_Address", \.address, .address(.random)))
}

/// Reads which roles the controller can play at the same time (Core, Vol 4 Part E 7.8.27).
public struct LEReadSupportedStates: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Supported_States", HCIOpcode(0x201C))

  public init() {}

  /// What the controller answers to ``LEReadSupportedStates``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let states: LESupportedStates

    public init(status: HCIErrorCode = .success, states: LESupportedStates) {
      self.status = status
      self.states = states
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("LE_States", \.states))
  }
}

/// Reads the range of transmit powers (Core, Vol 4 Part E 7.8.74).
public struct LEReadTransmitPower: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_Transmit_Power", HCIOpcode(0x204B))

  public init() {}

  /// What the controller answers to ``LEReadTransmitPower``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// In dBm.
    public let minimum: Int8
    /// In dBm.
    public let maximum: Int8

    public init(status: HCIErrorCode = .success, minimum: Int8, maximum: Int8) {
      self.status = status
      self.minimum = minimum
      self.maximum = maximum
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Min_TX_Power", \.minimum), Field("Max_TX_Power", \.maximum))
  }
}

/// Reads what is added for the way between radio and antenna (Core, Vol 4 Part E 7.8.75).
public struct LEReadRFPathCompensation: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Read_RF_Path_Compensation", HCIOpcode(0x204C))

  public init() {}

  /// What the controller answers to ``LEReadRFPathCompensation``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// In steps of 0.1 dB.
    public let transmit: Int16
    /// In steps of 0.1 dB.
    public let receive: Int16

    public init(status: HCIErrorCode = .success, transmit: Int16, receive: Int16) {
      self.status = status
      self.transmit = transmit
      self.receive = receive
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("RF_TX_Path_Compensation_Value", \.transmit),
      Field("RF_RX_Path_Compensation_Value", \.receive))
  }
}

/// Sets what is added for the way between radio and antenna (Core, Vol 4 Part E 7.8.76).
public struct LEWriteRFPathCompensation: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Write_RF_Path_Compensation", HCIOpcode(0x204D))

  /// In steps of 0.1 dB.
  public let transmit: Int16
  /// In steps of 0.1 dB.
  public let receive: Int16

  public init(transmit: Int16, receive: Int16) {
    self.transmit = transmit
    self.receive = receive
  }

  static let layout = Layout(
    Self.init, Field("RF_TX_Path_Compensation_Value", \.transmit), Field("RF_RX_Path_Compensation_Value", \.receive))
}

/// Says that the host supports a feature of which the link layer must tell the peer (Core, Vol 4 Part E 7.8.115).
public struct LESetHostFeature: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Host_Feature [v1]", HCIOpcode(0x2074))

  /// The feature's bit in ``LEFeatures``.
  public let bit: UInt8
  public let isSupported: Bool

  public init(bit: UInt8, isSupported: Bool) {
    self.bit = bit
    self.isSupported = isSupported
  }

  static let layout = Layout(Self.init, Field("Bit_Number", \.bit), Field("Bit_Value", \.isSupported))
}
