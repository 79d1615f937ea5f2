import BLECore

/// The parameters of a connection have changed, or could not be changed (Core, Vol 4 Part E 7.7.65.3).
public struct LEConnectionUpdateCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Connection_Update_Complete"
  public static let code = HCIEventCode.lowEnergy(0x03)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let interval: ConnectionInterval
  /// Connection events that the peripheral may skip.
  public let latency: UInt16
  public let supervisionTimeout: SupervisionTimeout

  public init(
    status: HCIErrorCode, connectionHandle: ConnectionHandle, interval: ConnectionInterval, latency: UInt16,
    supervisionTimeout: SupervisionTimeout
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
    Field("Connection_Interval", \.interval), Field("Peripheral_Latency", \.latency),
    Field("Supervision_Timeout", \.supervisionTimeout))
}

/// The peer has told its features (Core, Vol 4 Part E 7.7.65.4).
public struct LEReadRemoteFeaturesCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Read_Remote_Features_Complete"
  public static let code = HCIEventCode.lowEnergy(0x04)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let features: LEFeatures

  public init(status: HCIErrorCode, connectionHandle: ConnectionHandle, features: LEFeatures) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.features = features
  }

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
    Field("LE_Features", \.features))
}

/// The peer wants other connection parameters (Core, Vol 4 Part E 7.7.65.6).
public struct LERemoteConnectionParameterRequestEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Remote_Connection_Parameter_Request"
  public static let code = HCIEventCode.lowEnergy(0x06)

  public let connectionHandle: ConnectionHandle
  public let intervalMinimum: ConnectionInterval
  public let intervalMaximum: ConnectionInterval
  public let latency: UInt16
  public let supervisionTimeout: SupervisionTimeout

  public init(
    connectionHandle: ConnectionHandle, intervalMinimum: ConnectionInterval, intervalMaximum: ConnectionInterval,
    latency: UInt16, supervisionTimeout: SupervisionTimeout
  ) {
    self.connectionHandle = connectionHandle
    self.intervalMinimum = intervalMinimum
    self.intervalMaximum = intervalMaximum
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("Interval_Min", \.intervalMinimum),
    Field("Interval_Max", \.intervalMaximum), Field("Max_Latency", \.latency), Field("Timeout", \.supervisionTimeout))
}

/// Packets of a connection may have another length (Core, Vol 4 Part E 7.7.65.7).
public struct LEDataLengthChangeEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Data_Length_Change"
  public static let code = HCIEventCode.lowEnergy(0x07)

  public let connectionHandle: ConnectionHandle
  public let transmitOctets: UInt16
  /// In microseconds.
  public let transmitTime: UInt16
  public let receiveOctets: UInt16
  /// In microseconds.
  public let receiveTime: UInt16

  public init(
    connectionHandle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16, receiveOctets: UInt16,
    receiveTime: UInt16
  ) {
    self.connectionHandle = connectionHandle
    self.transmitOctets = transmitOctets
    self.transmitTime = transmitTime
    self.receiveOctets = receiveOctets
    self.receiveTime = receiveTime
  }

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("Max_TX_Octets", \.transmitOctets),
    Field("Max_TX_Time", \.transmitTime), Field("Max_RX_Octets", \.receiveOctets), Field("Max_RX_Time", \.receiveTime))
}

/// The PHYs of a connection have changed, or could not be changed (Core, Vol 4 Part E 7.7.65.12).
public struct LEPHYUpdateCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_PHY_Update_Complete"
  public static let code = HCIEventCode.lowEnergy(0x0C)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  public let transmitPHY: LEPHY
  public let receivePHY: LEPHY

  public init(status: HCIErrorCode, connectionHandle: ConnectionHandle, transmitPHY: LEPHY, receivePHY: LEPHY) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.transmitPHY = transmitPHY
    self.receivePHY = receivePHY
  }

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
    Field("TX_PHY", \.transmitPHY), Field("RX_PHY", \.receivePHY))
}

/// How the channels of a new connection are chosen (Core, Vol 4 Part E 7.7.65.20).
public struct LEChannelSelectionAlgorithmEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Channel_Selection_Algorithm"
  public static let code = HCIEventCode.lowEnergy(0x14)

  public let connectionHandle: ConnectionHandle
  public let algorithm: LEChannelSelectionAlgorithm

  public init(connectionHandle: ConnectionHandle, algorithm: LEChannelSelectionAlgorithm) {
    self.connectionHandle = connectionHandle
    self.algorithm = algorithm
  }

  static let layout = Layout(
    Self.init, Field("Connection_Handle", \.connectionHandle), Field("Channel_Selection_Algorithm", \.algorithm))
}

/// The transmit power of one end of a connection (Core, Vol 4 Part E 7.7.65.33).
public struct LETransmitPowerReportingEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_LE_Transmit_Power_Reporting"
  public static let code = HCIEventCode.lowEnergy(0x21)

  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle
  /// 0: this device changed, 1: the peer changed, 2: it was asked for.
  public let reason: UInt8
  public let phy: UInt8
  /// In dBm; 126: not managed, 127: not known.
  public let transmitPower: Int8
  /// Bit 0: at the minimum, bit 1: at the maximum.
  public let limits: UInt8
  /// In dB.
  public let change: Int8

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("Reason", \.reason),
    Field("PHY", \.phy), Field("TX_Power_Level", \.transmitPower), Field("TX_Power_Level_Flag", \.limits),
    Field("Delta", \.change))
}
