import BLECore

/// Ends a connection; the Disconnection Complete event follows (Core, Vol 4 Part E 7.1.6).
public struct HCIDisconnect: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_Disconnect", HCIOpcode(0x0406))

  public let connectionHandle: ConnectionHandle
  /// The reason that the peer receives; `.remoteUserTerminated` for an ordinary disconnection.
  public let reason: HCIErrorCode

  public init(connectionHandle: ConnectionHandle, reason: HCIErrorCode) {
    self.connectionHandle = connectionHandle
    self.reason = reason
  }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle), Field("Reason", \.reason))
}

/// Asks for the peer's version; the event of the same name follows (Core, Vol 4 Part E 7.1.23).
public struct HCIReadRemoteVersionInformation: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_Read_Remote_Version_Information", HCIOpcode(0x041D))

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))
}
