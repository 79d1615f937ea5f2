import BLECore

/// Says which events the host wants (Core, Vol 4 Part E 7.3.1).
public struct HCISetEventMask: HCICommand {
  public static let name = "HCI_Set_Event_Mask"
  public static let opcode = HCIOpcode(0x0C01)
  public typealias ReturnParameters = HCIStatusReturn

  public let mask: HCIEventMask

  public init(mask: HCIEventMask) {
    self.mask = mask
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    mask = try reader.bits("Event_Mask")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(mask)
  }

  public static var examples: [Self] { [Self(mask: [.disconnectionComplete, .leMeta])] }
}

/// Brings the controller to its initial state; connections end without an event (Core, Vol 4 Part E 7.3.2).
public struct HCIReset: HCICommand {
  public static let name = "HCI_Reset"
  public static let opcode = HCIOpcode(0x0C03)
  public typealias ReturnParameters = HCIStatusReturn

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}

/// Reads the transmit power of a connection (Core, Vol 4 Part E 7.3.35).
public struct HCIReadTransmitPowerLevel: HCICommand {
  public static let name = "HCI_Read_Transmit_Power_Level"
  public static let opcode = HCIOpcode(0x0C2D)

  public let connectionHandle: ConnectionHandle
  public let type: HCITransmitPowerType

  public init(connectionHandle: ConnectionHandle, type: HCITransmitPowerType) {
    self.connectionHandle = connectionHandle
    self.type = type
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    type = try reader.value("Type")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(type)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040), type: .maximum)] }

  /// What the controller answers to ``HCIReadTransmitPowerLevel``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_Transmit_Power_Level return parameters"

    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    /// In dBm.
    public let transmitPower: Int8

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, transmitPower: Int8) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.transmitPower = transmitPower
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
      transmitPower = try reader.int8("TX_Power_Level")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
      writer.append(transmitPower)
    }

    public static var examples: [Self] {
      [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), transmitPower: -60)]
    }
  }
}

/// Says which events of the second page the host wants (Core, Vol 4 Part E 7.3.69).
public struct HCISetEventMaskPage2: HCICommand {
  public static let name = "HCI_Set_Event_Mask_Page_2"
  public static let opcode = HCIOpcode(0x0C63)
  public typealias ReturnParameters = HCIStatusReturn

  public let mask: HCIEventMaskPage2

  public init(mask: HCIEventMaskPage2) {
    self.mask = mask
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    mask = try reader.bits("Event_Mask_Page_2")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(mask)
  }

  public static var examples: [Self] { [Self(mask: [.authenticatedPayloadTimeoutExpired, .encryptionChangeV2])] }
}

/// Tells a controller of both transports that the host uses LE (Core, Vol 4 Part E 7.3.79).
public struct HCIWriteLEHostSupport: HCICommand {
  public static let name = "HCI_Write_LE_Host_Support"
  public static let opcode = HCIOpcode(0x0C6D)
  public typealias ReturnParameters = HCIStatusReturn

  public let isSupported: Bool
  /// Was simultaneous LE and BR/EDR; 0x00.
  public let simultaneous: UInt8

  public init(isSupported: Bool, simultaneous: UInt8) {
    self.isSupported = isSupported
    self.simultaneous = simultaneous
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    isSupported = try reader.flag("LE_Supported_Host")
    simultaneous = try reader.uint8("Unused")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(isSupported)
    writer.append(simultaneous)
  }

  public static var examples: [Self] { [Self(isSupported: true, simultaneous: 0x00)] }
}

/// Reads how long an encrypted link may go without an authenticated packet (Core, Vol 4 Part E 7.3.93).
public struct HCIReadAuthenticatedPayloadTimeout: HCICommand {
  public static let name = "HCI_Read_Authenticated_Payload_Timeout"
  public static let opcode = HCIOpcode(0x0C7B)

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

  /// What the controller answers to ``HCIReadAuthenticatedPayloadTimeout``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_Authenticated_Payload_Timeout return parameters"

    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    public let timeout: HCICentiseconds

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, timeout: HCICentiseconds) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.timeout = timeout
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
      timeout = try reader.centiseconds("Authenticated_Payload_Timeout")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
      writer.append(timeout)
    }

    public static var examples: [Self] {
      [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), timeout: HCICentiseconds(rawValue: 300))]
    }
  }
}

/// Sets how long an encrypted link may go without an authenticated packet (Core, Vol 4 Part E 7.3.94).
public struct HCIWriteAuthenticatedPayloadTimeout: HCICommand {
  public static let name = "HCI_Write_Authenticated_Payload_Timeout"
  public static let opcode = HCIOpcode(0x0C7C)

  public let connectionHandle: ConnectionHandle
  public let timeout: HCICentiseconds

  public init(connectionHandle: ConnectionHandle, timeout: HCICentiseconds) {
    self.connectionHandle = connectionHandle
    self.timeout = timeout
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    timeout = try reader.centiseconds("Authenticated_Payload_Timeout")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(timeout)
  }

  public static var examples: [Self] {
    [Self(connectionHandle: ConnectionHandle(0x0040), timeout: HCICentiseconds(rawValue: 300))]
  }

  /// What the controller answers to ``HCIWriteAuthenticatedPayloadTimeout``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Write_Authenticated_Payload_Timeout return parameters"

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
