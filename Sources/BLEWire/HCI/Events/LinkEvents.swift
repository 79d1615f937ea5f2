import BLECore

/// A connection has ended (Core, Vol 4 Part E 7.7.5).
public struct DisconnectionCompleteEvent: HCIEventParameters {
  public static let name = "HCI_Disconnection_Complete"
  public static let code = HCIEventCode(0x05)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let reason: HCIErrorCode

  public init(status: HCIErrorCode, connectionHandle: ConnectionHandle, reason: HCIErrorCode) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.reason = reason
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    reason = try reader.value("Reason")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(reason)
  }

  public static var examples: [Self] {
    [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), reason: .remoteUserTerminated)]
  }
}

/// The encryption of a link was switched, or could not be (Core, Vol 4 Part E 7.7.8).
public struct EncryptionChangeEvent: HCIEventParameters {
  public static let name = "HCI_Encryption_Change [v1]"
  public static let code = HCIEventCode(0x08)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let state: HCIEncryptionState

  public init(status: HCIErrorCode, connectionHandle: ConnectionHandle, state: HCIEncryptionState) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.state = state
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    state = try reader.value("Encryption_Enabled")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(state)
  }

  public static var examples: [Self] {
    [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), state: .on)]
  }
}

/// The encryption of a link was switched, or could not be (Core, Vol 4 Part E 7.7.8).
public struct EncryptionChangeV2Event: HCIEventParameters {
  public static let name = "HCI_Encryption_Change [v2]"
  public static let code = HCIEventCode(0x59)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let state: HCIEncryptionState
  /// In octets.
  public let keySize: UInt8

  public init(status: HCIErrorCode, connectionHandle: ConnectionHandle, state: HCIEncryptionState, keySize: UInt8) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.state = state
    self.keySize = keySize
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    state = try reader.value("Encryption_Enabled")
    keySize = try reader.uint8("Encryption_Key_Size")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(state)
    writer.append(keySize)
  }

  public static var examples: [Self] {
    [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), state: .on, keySize: 16)]
  }
}

/// An encrypted link has a new key (Core, Vol 4 Part E 7.7.39).
public struct EncryptionKeyRefreshCompleteEvent: HCIEventParameters {
  public static let name = "HCI_Encryption_Key_Refresh_Complete"
  public static let code = HCIEventCode(0x30)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle

  public init(status: HCIErrorCode, connectionHandle: ConnectionHandle) {
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

/// The peer has told its version (Core, Vol 4 Part E 7.7.12).
public struct ReadRemoteVersionInformationCompleteEvent: HCIEventParameters {
  public static let name = "HCI_Read_Remote_Version_Information_Complete"
  public static let code = HCIEventCode(0x0C)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let version: HCIVersion
  public let companyIdentifier: UInt16
  public let subversion: UInt16

  public init(
    status: HCIErrorCode, connectionHandle: ConnectionHandle, version: HCIVersion, companyIdentifier: UInt16,
    subversion: UInt16
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.version = version
    self.companyIdentifier = companyIdentifier
    self.subversion = subversion
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    version = try reader.value("Version")
    companyIdentifier = try reader.uint16("Company_Identifier")
    subversion = try reader.uint16("Subversion")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(version)
    writer.append(companyIdentifier)
    writer.append(subversion)
  }

  public static var examples: [Self] {
    [
      Self(
        status: .success, connectionHandle: ConnectionHandle(0x0040), version: .v5_3, companyIdentifier: 0x0123,
        subversion: 0x0123)
    ]
  }
}

/// An encrypted link went without an authenticated packet for too long (Core, Vol 4 Part E 7.7.75).
public struct AuthenticatedPayloadTimeoutExpiredEvent: HCIEventParameters {
  public static let name = "HCI_Authenticated_Payload_Timeout_Expired"
  public static let code = HCIEventCode(0x57)

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
}
