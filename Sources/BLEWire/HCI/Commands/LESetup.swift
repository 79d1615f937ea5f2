import BLECore

/// Says which LE meta events the host wants (Core, Vol 4 Part E 7.8.1).
public struct LESetEventMask: HCICommand {
  public static let name = "HCI_LE_Set_Event_Mask"
  public static let opcode = HCIOpcode(0x2001)
  public typealias ReturnParameters = HCIStatusReturn

  public let mask: LEEventMask

  public init(mask: LEEventMask) {
    self.mask = mask
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    mask = try reader.bits("LE_Event_Mask")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(mask)
  }

  public static var examples: [Self] { [Self(mask: [.connectionComplete, .advertisingReport])] }
}

/// Reads the controller's buffers for data (Core, Vol 4 Part E 7.8.2).
public struct LEReadBufferSize: HCICommand {
  public static let name = "HCI_LE_Read_Buffer_Size [v1]"
  public static let opcode = HCIOpcode(0x2002)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadBufferSize``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Buffer_Size [v1] return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      aclDataPacketLength = try reader.uint16("LE_ACL_Data_Packet_Length")
      aclDataPacketCount = try reader.uint8("Total_Num_LE_ACL_Data_Packets")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(aclDataPacketLength)
      writer.append(aclDataPacketCount)
    }

    public static var examples: [Self] {
      [Self(status: .success, aclDataPacketLength: 0x0123, aclDataPacketCount: 0x05)]
    }
  }
}

/// Reads the controller's buffers for data, those for isochronous data too (Core, Vol 4 Part E 7.8.2).
public struct LEReadBufferSizeV2: HCICommand {
  public static let name = "HCI_LE_Read_Buffer_Size [v2]"
  public static let opcode = HCIOpcode(0x2060)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadBufferSizeV2``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Buffer_Size [v2] return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      aclDataPacketLength = try reader.uint16("LE_ACL_Data_Packet_Length")
      aclDataPacketCount = try reader.uint8("Total_Num_LE_ACL_Data_Packets")
      isoDataPacketLength = try reader.uint16("ISO_Data_Packet_Length")
      isoDataPacketCount = try reader.uint8("Total_Num_ISO_Data_Packets")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(aclDataPacketLength)
      writer.append(aclDataPacketCount)
      writer.append(isoDataPacketLength)
      writer.append(isoDataPacketCount)
    }

    public static var examples: [Self] {
      [
        Self(
          status: .success, aclDataPacketLength: 0x0123, aclDataPacketCount: 0x05, isoDataPacketLength: 0x0123,
          isoDataPacketCount: 0x05)
      ]
    }
  }
}

/// Reads what the link layer can do (Core, Vol 4 Part E 7.8.3).
public struct LEReadLocalSupportedFeatures: HCICommand {
  public static let name = "HCI_LE_Read_Local_Supported_Features"
  public static let opcode = HCIOpcode(0x2003)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadLocalSupportedFeatures``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Local_Supported_Features return parameters"

    public let status: HCIErrorCode
    public let features: LEFeatures

    public init(status: HCIErrorCode = .success, features: LEFeatures) {
      self.status = status
      self.features = features
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      features = try reader.bits("LE_Features")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(features)
    }

    public static var examples: [Self] { [Self(status: .success, features: [.encryption, .phy2M])] }
  }
}

/// Sets the random address for scanning, initiating and legacy advertising (Core, Vol 4 Part E 7.8.4).
public struct LESetRandomAddress: HCICommand {
  public static let name = "HCI_LE_Set_Random_Address"
  public static let opcode = HCIOpcode(0x2005)
  public typealias ReturnParameters = HCIStatusReturn

  public let address: DeviceAddress

  public init(address: DeviceAddress) {
    self.address = address
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    address = try reader.deviceAddress(kind: .random, "Random_Address")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(address)
  }

  public static var examples: [Self] { [Self(address: DeviceAddress(0x7012_3456_789A, kind: .random))] }
}

/// Reads which roles the controller can play at the same time (Core, Vol 4 Part E 7.8.27).
public struct LEReadSupportedStates: HCICommand {
  public static let name = "HCI_LE_Read_Supported_States"
  public static let opcode = HCIOpcode(0x201C)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadSupportedStates``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Supported_States return parameters"

    public let status: HCIErrorCode
    public let states: LESupportedStates

    public init(status: HCIErrorCode = .success, states: LESupportedStates) {
      self.status = status
      self.states = states
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      states = try reader.bits("LE_States")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(states)
    }

    public static var examples: [Self] {
      [Self(status: .success, states: LESupportedStates(rawValue: 0x0000_03FF_FFFF_FFFF))]
    }
  }
}

/// Reads the range of transmit powers (Core, Vol 4 Part E 7.8.74).
public struct LEReadTransmitPower: HCICommand {
  public static let name = "HCI_LE_Read_Transmit_Power"
  public static let opcode = HCIOpcode(0x204B)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadTransmitPower``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Transmit_Power return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      minimum = try reader.int8("Min_TX_Power")
      maximum = try reader.int8("Max_TX_Power")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(minimum)
      writer.append(maximum)
    }

    public static var examples: [Self] { [Self(status: .success, minimum: -60, maximum: 20)] }
  }
}

/// Reads what is added for the way between radio and antenna (Core, Vol 4 Part E 7.8.75).
public struct LEReadRFPathCompensation: HCICommand {
  public static let name = "HCI_LE_Read_RF_Path_Compensation"
  public static let opcode = HCIOpcode(0x204C)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadRFPathCompensation``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_RF_Path_Compensation return parameters"

    public let status: HCIErrorCode
    /// A signed number in steps of 0.1 dB.
    public let transmit: UInt16
    /// A signed number in steps of 0.1 dB.
    public let receive: UInt16

    public init(status: HCIErrorCode = .success, transmit: UInt16, receive: UInt16) {
      self.status = status
      self.transmit = transmit
      self.receive = receive
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      transmit = try reader.uint16("RF_TX_Path_Compensation_Value")
      receive = try reader.uint16("RF_RX_Path_Compensation_Value")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(transmit)
      writer.append(receive)
    }

    public static var examples: [Self] { [Self(status: .success, transmit: 0x0123, receive: 0x0123)] }
  }
}

/// Sets what is added for the way between radio and antenna (Core, Vol 4 Part E 7.8.76).
public struct LEWriteRFPathCompensation: HCICommand {
  public static let name = "HCI_LE_Write_RF_Path_Compensation"
  public static let opcode = HCIOpcode(0x204D)
  public typealias ReturnParameters = HCIStatusReturn

  /// A signed number in steps of 0.1 dB.
  public let transmit: UInt16
  /// A signed number in steps of 0.1 dB.
  public let receive: UInt16

  public init(transmit: UInt16, receive: UInt16) {
    self.transmit = transmit
    self.receive = receive
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    transmit = try reader.uint16("RF_TX_Path_Compensation_Value")
    receive = try reader.uint16("RF_RX_Path_Compensation_Value")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(transmit)
    writer.append(receive)
  }

  public static var examples: [Self] { [Self(transmit: 0x0123, receive: 0x0123)] }
}

/// Says that the host supports a feature of which the link layer must tell the peer (Core, Vol 4 Part E 7.8.115).
public struct LESetHostFeature: HCICommand {
  public static let name = "HCI_LE_Set_Host_Feature [v1]"
  public static let opcode = HCIOpcode(0x2074)
  public typealias ReturnParameters = HCIStatusReturn

  /// The feature's bit in ``LEFeatures``.
  public let bit: UInt8
  public let isSupported: Bool

  public init(bit: UInt8, isSupported: Bool) {
    self.bit = bit
    self.isSupported = isSupported
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    bit = try reader.uint8("Bit_Number")
    isSupported = try reader.flag("Bit_Value")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(bit)
    writer.append(isSupported)
  }

  public static var examples: [Self] { [Self(bit: 0x05, isSupported: true)] }
}
