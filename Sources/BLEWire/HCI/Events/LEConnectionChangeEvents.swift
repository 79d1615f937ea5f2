import BLECore

/// The parameters of a connection have changed, or could not be changed (Core, Vol 4 Part E 7.7.65.3).
public struct LEConnectionUpdateCompleteEvent: HCIEventParameters {
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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    interval = try reader.connectionInterval("Connection_Interval")
    latency = try reader.uint16("Peripheral_Latency")
    supervisionTimeout = try reader.supervisionTimeout("Supervision_Timeout")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(interval)
    writer.append(latency)
    writer.append(supervisionTimeout)
  }

  public static var examples: [Self] {
    [
      Self(
        status: .success, connectionHandle: ConnectionHandle(0x0040), interval: ConnectionInterval(rawValue: 24),
        latency: 0x0123, supervisionTimeout: SupervisionTimeout(rawValue: 400))
    ]
  }
}

/// The peer has told its features (Core, Vol 4 Part E 7.7.65.4).
public struct LEReadRemoteFeaturesCompleteEvent: HCIEventParameters {
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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    features = try reader.bits("LE_Features")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(features)
  }

  public static var examples: [Self] {
    [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), features: [.encryption, .phy2M])]
  }
}

/// The peer wants other connection parameters (Core, Vol 4 Part E 7.7.65.6).
public struct LERemoteConnectionParameterRequestEvent: HCIEventParameters {
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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    intervalMinimum = try reader.connectionInterval("Interval_Min")
    intervalMaximum = try reader.connectionInterval("Interval_Max")
    latency = try reader.uint16("Max_Latency")
    supervisionTimeout = try reader.supervisionTimeout("Timeout")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(intervalMinimum)
    writer.append(intervalMaximum)
    writer.append(latency)
    writer.append(supervisionTimeout)
  }

  public static var examples: [Self] {
    [
      Self(
        connectionHandle: ConnectionHandle(0x0040), intervalMinimum: ConnectionInterval(rawValue: 24),
        intervalMaximum: ConnectionInterval(rawValue: 24), latency: 0x0123,
        supervisionTimeout: SupervisionTimeout(rawValue: 400))
    ]
  }
}

/// Packets of a connection may have another length (Core, Vol 4 Part E 7.7.65.7).
public struct LEDataLengthChangeEvent: HCIEventParameters {
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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    transmitOctets = try reader.uint16("Max_TX_Octets")
    transmitTime = try reader.uint16("Max_TX_Time")
    receiveOctets = try reader.uint16("Max_RX_Octets")
    receiveTime = try reader.uint16("Max_RX_Time")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(transmitOctets)
    writer.append(transmitTime)
    writer.append(receiveOctets)
    writer.append(receiveTime)
  }

  public static var examples: [Self] {
    [
      Self(
        connectionHandle: ConnectionHandle(0x0040), transmitOctets: 0x0123, transmitTime: 0x0123, receiveOctets: 0x0123,
        receiveTime: 0x0123)
    ]
  }
}

/// The PHYs of a connection have changed, or could not be changed (Core, Vol 4 Part E 7.7.65.12).
public struct LEPHYUpdateCompleteEvent: HCIEventParameters {
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
    [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), transmitPHY: .le2M, receivePHY: .le2M)]
  }
}

/// How the channels of a new connection are chosen (Core, Vol 4 Part E 7.7.65.20).
public struct LEChannelSelectionAlgorithmEvent: HCIEventParameters {
  public static let name = "HCI_LE_Channel_Selection_Algorithm"
  public static let code = HCIEventCode.lowEnergy(0x14)

  public let connectionHandle: ConnectionHandle
  public let algorithm: LEChannelSelectionAlgorithm

  public init(connectionHandle: ConnectionHandle, algorithm: LEChannelSelectionAlgorithm) {
    self.connectionHandle = connectionHandle
    self.algorithm = algorithm
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    algorithm = try reader.value("Channel_Selection_Algorithm")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(algorithm)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040), algorithm: .algorithm2)] }
}

/// The transmit power of one end of a connection (Core, Vol 4 Part E 7.7.65.33).
public struct LETransmitPowerReportingEvent: HCIEventParameters {
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

  public init(
    status: HCIErrorCode, connectionHandle: ConnectionHandle, reason: UInt8, phy: UInt8, transmitPower: Int8,
    limits: UInt8, change: Int8
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.reason = reason
    self.phy = phy
    self.transmitPower = transmitPower
    self.limits = limits
    self.change = change
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    reason = try reader.uint8("Reason")
    phy = try reader.uint8("PHY")
    transmitPower = try reader.int8("TX_Power_Level")
    limits = try reader.uint8("TX_Power_Level_Flag")
    change = try reader.int8("Delta")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(reason)
    writer.append(phy)
    writer.append(transmitPower)
    writer.append(limits)
    writer.append(change)
  }

  public static var examples: [Self] {
    [
      Self(
        status: .success, connectionHandle: ConnectionHandle(0x0040), reason: 0x05, phy: 0x05, transmitPower: -60,
        limits: 0x05, change: -60)
    ]
  }
}
