import BLECore

/// A connection has ended (Core, Vol 4 Part E 7.7.5).
public struct DisconnectionCompleteEvent: HCIEventParameters, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("Reason", \.reason))
}

/// The encryption of a link was switched, or could not be (Core, Vol 4 Part E 7.7.8).
public struct EncryptionChangeEvent: HCIEventParameters, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
    Field("Encryption_Enabled", \.state))
}

/// The encryption of a link was switched, or could not be (Core, Vol 4 Part E 7.7.8).
public struct EncryptionChangeV2Event: HCIEventParameters, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
    Field("Encryption_Enabled", \.state), Field("Encryption_Key_Size", \.keySize))
}

/// An encrypted link has a new key (Core, Vol 4 Part E 7.7.39).
public struct EncryptionKeyRefreshCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_Encryption_Key_Refresh_Complete"
  public static let code = HCIEventCode(0x30)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle

  public init(status: HCIErrorCode, connectionHandle: ConnectionHandle) {
    self.status = status
    self.connectionHandle = connectionHandle
  }

  static let layout = Layout(Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle))
}

/// The peer has told its version (Core, Vol 4 Part E 7.7.12).
public struct ReadRemoteVersionInformationCompleteEvent: HCIEventParameters, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("Version", \.version),
    Field("Company_Identifier", \.companyIdentifier), Field("Subversion", \.subversion))
}

/// An encrypted link went without an authenticated packet for too long (Core, Vol 4 Part E 7.7.75).
public struct AuthenticatedPayloadTimeoutExpiredEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_Authenticated_Payload_Timeout_Expired"
  public static let code = HCIEventCode(0x57)

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))
}
