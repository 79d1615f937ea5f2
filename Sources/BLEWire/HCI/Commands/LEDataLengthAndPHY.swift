import BLECore

/// Suggests how long packets on a connection may be (Core, Vol 4 Part E 7.8.33).
public struct LESetDataLength: HCICommand {
  public static let name = "HCI_LE_Set_Data_Length"
  public static let opcode = HCIOpcode(0x2022)

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    transmitOctets = try reader.uint16("TX_Octets")
    transmitTime = try reader.uint16("TX_Time")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(transmitOctets)
    writer.append(transmitTime)
  }

  public static var examples: [Self] {
    [Self(connectionHandle: ConnectionHandle(0x0040), transmitOctets: 0x0123, transmitTime: 0x0123)]
  }

  /// What the controller answers to ``LESetDataLength``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Set_Data_Length return parameters"

    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle) {
      self.status = status
      self.connectionHandle = connectionHandle
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
    }

    public static var examples: [Self] { [Self(status: .success, connectionHandle: ConnectionHandle(0x0040))] }
  }
}

/// Reads what is suggested for new connections (Core, Vol 4 Part E 7.8.34).
public struct LEReadSuggestedDefaultDataLength: HCICommand {
  public static let name = "HCI_LE_Read_Suggested_Default_Data_Length"
  public static let opcode = HCIOpcode(0x2023)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadSuggestedDefaultDataLength``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Suggested_Default_Data_Length return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      transmitOctets = try reader.uint16("TX_Octets")
      transmitTime = try reader.uint16("TX_Time")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(transmitOctets)
      writer.append(transmitTime)
    }

    public static var examples: [Self] { [Self(status: .success, transmitOctets: 0x0123, transmitTime: 0x0123)] }
  }
}

/// Suggests how long packets may be on new connections (Core, Vol 4 Part E 7.8.35).
public struct LEWriteSuggestedDefaultDataLength: HCICommand {
  public static let name = "HCI_LE_Write_Suggested_Default_Data_Length"
  public static let opcode = HCIOpcode(0x2024)
  public typealias ReturnParameters = HCIStatusReturn

  /// The most octets in one packet that are sent, 27 to 251.
  public let transmitOctets: UInt16
  /// The longest time for one packet that is sent, in microseconds, 328 to 17040.
  public let transmitTime: UInt16

  public init(transmitOctets: UInt16, transmitTime: UInt16) {
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    transmitOctets = try reader.uint16("TX_Octets")
    transmitTime = try reader.uint16("TX_Time")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(transmitOctets)
    writer.append(transmitTime)
  }

  public static var examples: [Self] { [Self(transmitOctets: 0x0123, transmitTime: 0x0123)] }
}

/// Reads how long packets the controller can send and receive (Core, Vol 4 Part E 7.8.46).
public struct LEReadMaximumDataLength: HCICommand {
  public static let name = "HCI_LE_Read_Maximum_Data_Length"
  public static let opcode = HCIOpcode(0x202F)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``LEReadMaximumDataLength``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Maximum_Data_Length return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      transmitOctets = try reader.uint16("TX_Octets")
      transmitTime = try reader.uint16("TX_Time")
      receiveOctets = try reader.uint16("Supported_Max_RX_Octets")
      receiveTime = try reader.uint16("Supported_Max_RX_Time")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(transmitOctets)
      writer.append(transmitTime)
      writer.append(receiveOctets)
      writer.append(receiveTime)
    }

    public static var examples: [Self] {
      [Self(status: .success, transmitOctets: 0x0123, transmitTime: 0x0123, receiveOctets: 0x0123, receiveTime: 0x0123)]
    }
  }
}

/// Reads the PHYs of a connection (Core, Vol 4 Part E 7.8.47).
public struct LEReadPHY: HCICommand {
  public static let name = "HCI_LE_Read_PHY"
  public static let opcode = HCIOpcode(0x2030)

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) {
    self.connectionHandle = connectionHandle
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040))] }

  /// What the controller answers to ``LEReadPHY``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_PHY return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
      transmitPHY = try reader.value("TX_PHY")
      receivePHY = try reader.value("RX_PHY")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
      writer.append(transmitPHY)
      writer.append(receivePHY)
    }

    public static var examples: [Self] {
      [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), transmitPHY: .le2M, receivePHY: .le1M)]
    }
  }
}

/// Says which PHYs the host prefers on new connections (Core, Vol 4 Part E 7.8.48).
public struct LESetDefaultPHY: HCICommand {
  public static let name = "HCI_LE_Set_Default_PHY"
  public static let opcode = HCIOpcode(0x2031)
  public typealias ReturnParameters = HCIStatusReturn

  public let preference: LEPHYPreference
  public let transmitPHYs: LEPHYSet
  public let receivePHYs: LEPHYSet

  public init(preference: LEPHYPreference, transmitPHYs: LEPHYSet, receivePHYs: LEPHYSet) {
    self.preference = preference
    self.transmitPHYs = transmitPHYs
    self.receivePHYs = receivePHYs
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    preference = try reader.bits("All_PHYs")
    transmitPHYs = try reader.bits("TX_PHYs")
    receivePHYs = try reader.bits("RX_PHYs")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(preference)
    writer.append(transmitPHYs)
    writer.append(receivePHYs)
  }

  public static var examples: [Self] { [Self(preference: [], transmitPHYs: [.le1M, .le2M], receivePHYs: [.le2M])] }
}

/// Asks for other PHYs on a connection; the PHY update complete event follows (Core, Vol 4 Part E 7.8.49).
public struct LESetPHY: HCIStatusCommand {
  public static let name = "HCI_LE_Set_PHY"
  public static let opcode = HCIOpcode(0x2032)

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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    preference = try reader.bits("All_PHYs")
    transmitPHYs = try reader.bits("TX_PHYs")
    receivePHYs = try reader.bits("RX_PHYs")
    options = try reader.uint16("PHY_Options")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(preference)
    writer.append(transmitPHYs)
    writer.append(receivePHYs)
    writer.append(options)
  }

  public static var examples: [Self] {
    [
      Self(
        connectionHandle: ConnectionHandle(0x0040), preference: [], transmitPHYs: [.le1M, .le2M], receivePHYs: [.le2M],
        options: 0x0123)
    ]
  }
}

/// Reads the transmit power of a connection on a PHY (Core, Vol 4 Part E 7.8.117).
public struct LEEnhancedReadTransmitPowerLevel: HCICommand {
  public static let name = "HCI_LE_Enhanced_Read_Transmit_Power_Level"
  public static let opcode = HCIOpcode(0x2076)

  public let connectionHandle: ConnectionHandle
  /// 1: 1M, 2: 2M, 3: coded with S=8, 4: coded with S=2.
  public let phy: UInt8

  public init(connectionHandle: ConnectionHandle, phy: UInt8) {
    self.connectionHandle = connectionHandle
    self.phy = phy
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    phy = try reader.uint8("PHY")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(phy)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040), phy: 0x05)] }

  /// What the controller answers to ``LEEnhancedReadTransmitPowerLevel``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Enhanced_Read_Transmit_Power_Level return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
      phy = try reader.uint8("PHY")
      current = try reader.int8("Current_TX_Power_Level")
      maximum = try reader.int8("Max_TX_Power_Level")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
      writer.append(phy)
      writer.append(current)
      writer.append(maximum)
    }

    public static var examples: [Self] {
      [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), phy: 0x05, current: -60, maximum: -60)]
    }
  }
}
