import BLECore

/// A connection was made, or could not be (Core, Vol 4 Part E 7.7.65.1).
public struct LEConnectionCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Connection_Complete"
  public static let code = HCIEventCode.lowEnergy(0x01)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let role: LEConnectionRole
  public let peerAddress: HCIAddress
  public let interval: ConnectionInterval
  /// Connection events that the peripheral may skip.
  public let latency: UInt16
  public let supervisionTimeout: SupervisionTimeout
  public let clockAccuracy: LEClockAccuracy

  public init(
    status: HCIErrorCode, connectionHandle: ConnectionHandle, role: LEConnectionRole, peerAddress: HCIAddress,
    interval: ConnectionInterval, latency: UInt16, supervisionTimeout: SupervisionTimeout,
    clockAccuracy: LEClockAccuracy
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.role = role
    self.peerAddress = peerAddress
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.clockAccuracy = clockAccuracy
  }

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("Role", \.role),
    Field("Peer_Address", \.peerAddress), Field("Connection_Interval", \.interval),
    Field("Peripheral_Latency", \.latency), Field("Supervision_Timeout", \.supervisionTimeout),
    Field("Central_Clock_Accuracy", \.clockAccuracy))
}

/// A connection was made, or could not be (Core, Vol 4 Part E 7.7.65.10).
public struct LEEnhancedConnectionCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Enhanced_Connection_Complete [v1]"
  public static let code = HCIEventCode.lowEnergy(0x0A)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let role: LEConnectionRole
  public let peerAddress: HCIAddress
  /// All zeros where this device has not used one.
  public let localResolvableAddress: DeviceAddress
  /// All zeros where the peer has not used one.
  public let peerResolvableAddress: DeviceAddress
  public let interval: ConnectionInterval
  /// Connection events that the peripheral may skip.
  public let latency: UInt16
  public let supervisionTimeout: SupervisionTimeout
  public let clockAccuracy: LEClockAccuracy

  public init(
    status: HCIErrorCode, connectionHandle: ConnectionHandle, role: LEConnectionRole, peerAddress: HCIAddress,
    localResolvableAddress: DeviceAddress, peerResolvableAddress: DeviceAddress, interval: ConnectionInterval,
    latency: UInt16, supervisionTimeout: SupervisionTimeout, clockAccuracy: LEClockAccuracy
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.role = role
    self.peerAddress = peerAddress
    self.localResolvableAddress = localResolvableAddress
    self.peerResolvableAddress = peerResolvableAddress
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
    self.clockAccuracy = clockAccuracy
  }

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("Role", \.role),
    Field("Peer_Address", \.peerAddress),
    Field("Local_Resolvable_Private_Address", \.localResolvableAddress, .address(.random)),
    Field("Peer_Resolvable_Private_Address", \.peerResolvableAddress, .address(.random)),
    Field("Connection_Interval", \.interval), Field("Peripheral_Latency", \.latency),
    Field("Supervision_Timeout", \.supervisionTimeout), Field("Central_Clock_Accuracy", \.clockAccuracy))
}

/// A connection was made, or could not be (Core, Vol 4 Part E 7.7.65.10).
public struct LEEnhancedConnectionCompleteV2Event: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Enhanced_Connection_Complete [v2]"
  public static let code = HCIEventCode.lowEnergy(0x29)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let role: LEConnectionRole
  public let peerAddress: HCIAddress
  /// All zeros where this device has not used one.
  public let localResolvableAddress: DeviceAddress
  /// All zeros where the peer has not used one.
  public let peerResolvableAddress: DeviceAddress
  public let interval: ConnectionInterval
  /// Connection events that the peripheral may skip.
  public let latency: UInt16
  public let supervisionTimeout: SupervisionTimeout
  public let clockAccuracy: LEClockAccuracy
  /// The set that the peer answered to, on a peripheral.
  public let advertisingHandle: LEAdvertisingHandle
  /// The periodic advertising that the peer was found by.
  public let syncHandle: UInt16

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("Role", \.role),
    Field("Peer_Address", \.peerAddress),
    Field("Local_Resolvable_Private_Address", \.localResolvableAddress, .address(.random)),
    Field("Peer_Resolvable_Private_Address", \.peerResolvableAddress, .address(.random)),
    Field("Connection_Interval", \.interval), Field("Peripheral_Latency", \.latency),
    Field("Supervision_Timeout", \.supervisionTimeout), Field("Central_Clock_Accuracy", \.clockAccuracy),
    Field("Advertising_Handle", \.advertisingHandle), Field("Sync_Handle", \.syncHandle))
}
