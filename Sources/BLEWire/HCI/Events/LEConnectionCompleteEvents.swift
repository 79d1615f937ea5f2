import BLECore

/// A connection was made, or could not be (Core, Vol 4 Part E 7.7.65.1).
public struct LEConnectionCompleteEvent: HCIEventParameters {
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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    role = try reader.value("Role")
    peerAddress = try reader.address("Peer_Address")
    interval = try reader.connectionInterval("Connection_Interval")
    latency = try reader.uint16("Peripheral_Latency")
    supervisionTimeout = try reader.supervisionTimeout("Supervision_Timeout")
    clockAccuracy = try reader.value("Central_Clock_Accuracy")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(role)
    writer.append(peerAddress)
    writer.append(interval)
    writer.append(latency)
    writer.append(supervisionTimeout)
    writer.append(clockAccuracy)
  }

  public static var examples: [Self] {
    [
      Self(
        status: .success, connectionHandle: ConnectionHandle(0x0040), role: .peripheral,
        peerAddress: HCIAddress(type: .random, value: 0xC012_3456_789A), interval: ConnectionInterval(rawValue: 24),
        latency: 0x0123, supervisionTimeout: SupervisionTimeout(rawValue: 400), clockAccuracy: .ppm50)
    ]
  }
}

/// A connection was made, or could not be (Core, Vol 4 Part E 7.7.65.10).
public struct LEEnhancedConnectionCompleteEvent: HCIEventParameters {
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

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    role = try reader.value("Role")
    peerAddress = try reader.address("Peer_Address")
    localResolvableAddress = try reader.deviceAddress(kind: .random, "Local_Resolvable_Private_Address")
    peerResolvableAddress = try reader.deviceAddress(kind: .random, "Peer_Resolvable_Private_Address")
    interval = try reader.connectionInterval("Connection_Interval")
    latency = try reader.uint16("Peripheral_Latency")
    supervisionTimeout = try reader.supervisionTimeout("Supervision_Timeout")
    clockAccuracy = try reader.value("Central_Clock_Accuracy")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(role)
    writer.append(peerAddress)
    writer.append(localResolvableAddress)
    writer.append(peerResolvableAddress)
    writer.append(interval)
    writer.append(latency)
    writer.append(supervisionTimeout)
    writer.append(clockAccuracy)
  }

  public static var examples: [Self] {
    [
      Self(
        status: .success, connectionHandle: ConnectionHandle(0x0040), role: .peripheral,
        peerAddress: HCIAddress(type: .random, value: 0xC012_3456_789A),
        localResolvableAddress: DeviceAddress(0x7012_3456_789A, kind: .random),
        peerResolvableAddress: DeviceAddress(0x7012_3456_789A, kind: .random),
        interval: ConnectionInterval(rawValue: 24), latency: 0x0123,
        supervisionTimeout: SupervisionTimeout(rawValue: 400), clockAccuracy: .ppm50)
    ]
  }
}

/// A connection was made, or could not be (Core, Vol 4 Part E 7.7.65.10).
public struct LEEnhancedConnectionCompleteV2Event: HCIEventParameters {
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

  public init(
    status: HCIErrorCode, connectionHandle: ConnectionHandle, role: LEConnectionRole, peerAddress: HCIAddress,
    localResolvableAddress: DeviceAddress, peerResolvableAddress: DeviceAddress, interval: ConnectionInterval,
    latency: UInt16, supervisionTimeout: SupervisionTimeout, clockAccuracy: LEClockAccuracy,
    advertisingHandle: LEAdvertisingHandle, syncHandle: UInt16
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
    self.advertisingHandle = advertisingHandle
    self.syncHandle = syncHandle
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    role = try reader.value("Role")
    peerAddress = try reader.address("Peer_Address")
    localResolvableAddress = try reader.deviceAddress(kind: .random, "Local_Resolvable_Private_Address")
    peerResolvableAddress = try reader.deviceAddress(kind: .random, "Peer_Resolvable_Private_Address")
    interval = try reader.connectionInterval("Connection_Interval")
    latency = try reader.uint16("Peripheral_Latency")
    supervisionTimeout = try reader.supervisionTimeout("Supervision_Timeout")
    clockAccuracy = try reader.value("Central_Clock_Accuracy")
    advertisingHandle = try reader.value("Advertising_Handle")
    syncHandle = try reader.uint16("Sync_Handle")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(connectionHandle)
    writer.append(role)
    writer.append(peerAddress)
    writer.append(localResolvableAddress)
    writer.append(peerResolvableAddress)
    writer.append(interval)
    writer.append(latency)
    writer.append(supervisionTimeout)
    writer.append(clockAccuracy)
    writer.append(advertisingHandle)
    writer.append(syncHandle)
  }

  public static var examples: [Self] {
    [
      Self(
        status: .success, connectionHandle: ConnectionHandle(0x0040), role: .peripheral,
        peerAddress: HCIAddress(type: .random, value: 0xC012_3456_789A),
        localResolvableAddress: DeviceAddress(0x7012_3456_789A, kind: .random),
        peerResolvableAddress: DeviceAddress(0x7012_3456_789A, kind: .random),
        interval: ConnectionInterval(rawValue: 24), latency: 0x0123,
        supervisionTimeout: SupervisionTimeout(rawValue: 400), clockAccuracy: .ppm50,
        advertisingHandle: LEAdvertisingHandle(rawValue: 0x01), syncHandle: 0x0123)
    ]
  }
}
