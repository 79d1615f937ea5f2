import BLECore

/// Connects to an advertiser; a connection complete event follows (Core, Vol 4 Part E 7.8.12).
public struct LECreateConnection: HCIStatusCommand {
  public static let name = "HCI_LE_Create_Connection"
  public static let opcode = HCIOpcode(0x200D)

  public let scanInterval: ScanInterval
  public let scanWindow: ScanInterval
  public let filterPolicy: LEInitiatorFilterPolicy
  public let peerAddress: HCIAddress
  public let ownAddressType: LEOwnAddressType
  public let parameters: ConnectionParameters

  public init(
    scanInterval: ScanInterval, scanWindow: ScanInterval, filterPolicy: LEInitiatorFilterPolicy,
    peerAddress: HCIAddress, ownAddressType: LEOwnAddressType, parameters: ConnectionParameters
  ) {
    self.scanInterval = scanInterval
    self.scanWindow = scanWindow
    self.filterPolicy = filterPolicy
    self.peerAddress = peerAddress
    self.ownAddressType = ownAddressType
    self.parameters = parameters
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    scanInterval = try reader.scanInterval("LE_Scan_Interval")
    scanWindow = try reader.scanInterval("LE_Scan_Window")
    filterPolicy = try reader.value("Initiator_Filter_Policy")
    peerAddress = try reader.address("Peer_Address")
    ownAddressType = try reader.value("Own_Address_Type")
    parameters = try reader.connectionParameters()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(scanInterval)
    writer.append(scanWindow)
    writer.append(filterPolicy)
    writer.append(peerAddress)
    writer.append(ownAddressType)
    writer.append(parameters)
  }

  public static var examples: [Self] {
    [
      Self(
        scanInterval: ScanInterval(rawValue: 96), scanWindow: ScanInterval(rawValue: 96), filterPolicy: .peerAddress,
        peerAddress: HCIAddress(type: .random, value: 0xC012_3456_789A), ownAddressType: .random, parameters: .example)
    ]
  }
}

/// Gives up connecting; the connection complete event follows with Unknown Connection Identifier (Core, Vol 4 Part E 7.8.13).
public struct LECreateConnectionCancel: HCICommand {
  public static let name = "HCI_LE_Create_Connection_Cancel"
  public static let opcode = HCIOpcode(0x200E)
  public typealias ReturnParameters = HCIStatusReturn

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }
}

/// Connects to an advertiser, with parameters for each PHY; a connection complete event follows
/// (Core, Vol 4 Part E 7.8.66).
public struct LEExtendedCreateConnection: HCIStatusCommand {
  public static let name = "HCI_LE_Extended_Create_Connection [v1]"
  public static let opcode = HCIOpcode(0x2043)

  /// How to scan and to connect on one PHY.
  public struct Entry: Equatable, Sendable {
    public let scanInterval: ScanInterval
    /// At most the interval.
    public let scanWindow: ScanInterval
    public let parameters: ConnectionParameters

    public init(scanInterval: ScanInterval, scanWindow: ScanInterval, parameters: ConnectionParameters) {
      self.scanInterval = scanInterval
      self.scanWindow = scanWindow
      self.parameters = parameters
    }
  }

  public let filterPolicy: LEInitiatorFilterPolicy
  public let ownAddressType: LEOwnAddressType
  public let peerAddress: HCIAddress
  /// Where advertisers are looked for (1M, coded), and for which PHYs there are parameters.
  public let phys: LEPHYSet
  /// One for each of `phys`, in the order of their bits.
  public let entries: [Entry]

  public init(
    filterPolicy: LEInitiatorFilterPolicy, ownAddressType: LEOwnAddressType, peerAddress: HCIAddress, phys: LEPHYSet,
    entries: [Entry]
  ) {
    self.filterPolicy = filterPolicy
    self.ownAddressType = ownAddressType
    self.peerAddress = peerAddress
    self.phys = phys
    self.entries = entries
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    filterPolicy = try reader.value("Initiator_Filter_Policy")
    ownAddressType = try reader.value("Own_Address_Type")
    peerAddress = try reader.address("Peer_Address")
    phys = try reader.bits("Initiating_PHYs")
    var entries: [Entry] = []
    for _ in 0..<phys.rawValue.nonzeroBitCount {
      entries.append(
        Entry(
          scanInterval: try reader.scanInterval("Scan_Interval"), scanWindow: try reader.scanInterval("Scan_Window"),
          parameters: try reader.connectionParameters()))
    }
    self.entries = entries
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(filterPolicy)
    writer.append(ownAddressType)
    writer.append(peerAddress)
    writer.append(phys)
    for entry in entries {
      writer.append(entry.scanInterval)
      writer.append(entry.scanWindow)
      writer.append(entry.parameters)
    }
  }

  public static var examples: [Self] {
    let entry = Entry(
      scanInterval: ScanInterval(rawValue: 96), scanWindow: ScanInterval(rawValue: 48), parameters: .example)
    let peer = HCIAddress(type: .random, value: 0xC012_3456_789A)
    return [
      Self(
        filterPolicy: .peerAddress, ownAddressType: .random, peerAddress: peer, phys: .le1M, entries: [entry]),
      Self(
        filterPolicy: .acceptList, ownAddressType: .public, peerAddress: .none, phys: [.le1M, .le2M, .leCoded],
        entries: [entry, entry, entry]),
    ]
  }
}

/// Asks for other connection parameters; the event of the same name follows (Core, Vol 4 Part E 7.8.18).
public struct LEConnectionUpdate: HCIStatusCommand {
  public static let name = "HCI_LE_Connection_Update"
  public static let opcode = HCIOpcode(0x2013)

  public let connectionHandle: ConnectionHandle
  public let parameters: ConnectionParameters

  public init(connectionHandle: ConnectionHandle, parameters: ConnectionParameters) {
    self.connectionHandle = connectionHandle
    self.parameters = parameters
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    parameters = try reader.connectionParameters()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(parameters)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040), parameters: .example)] }
}

/// Says which channels the host knows to be bad (Core, Vol 4 Part E 7.8.19).
public struct LESetHostChannelClassification: HCICommand {
  public static let name = "HCI_LE_Set_Host_Channel_Classification"
  public static let opcode = HCIOpcode(0x2014)
  public typealias ReturnParameters = HCIStatusReturn

  public let channels: LEChannelMap

  public init(channels: LEChannelMap) {
    self.channels = channels
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    channels = try reader.bits("Channel_Map")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(channels)
  }

  public static var examples: [Self] { [Self(channels: .all)] }
}

/// Reads the channels in use on a connection (Core, Vol 4 Part E 7.8.20).
public struct LEReadChannelMap: HCICommand {
  public static let name = "HCI_LE_Read_Channel_Map"
  public static let opcode = HCIOpcode(0x2015)

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

  /// What the controller answers to ``LEReadChannelMap``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Read_Channel_Map return parameters"

    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    public let channels: LEChannelMap

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, channels: LEChannelMap) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.channels = channels
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
      channels = try reader.bits("Channel_Map")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
      writer.append(channels)
    }

    public static var examples: [Self] {
      [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), channels: .all)]
    }
  }
}

/// Asks for the peer's features; the event of the same name follows (Core, Vol 4 Part E 7.8.21).
public struct LEReadRemoteFeatures: HCIStatusCommand {
  public static let name = "HCI_LE_Read_Remote_Features"
  public static let opcode = HCIOpcode(0x2016)

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

/// Accepts the peer's wish for other connection parameters (Core, Vol 4 Part E 7.8.31).
public struct LERemoteConnectionParameterRequestReply: HCICommand {
  public static let name = "HCI_LE_Remote_Connection_Parameter_Request_Reply"
  public static let opcode = HCIOpcode(0x2020)

  public let connectionHandle: ConnectionHandle
  public let parameters: ConnectionParameters

  public init(connectionHandle: ConnectionHandle, parameters: ConnectionParameters) {
    self.connectionHandle = connectionHandle
    self.parameters = parameters
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    parameters = try reader.connectionParameters()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(parameters)
  }

  public static var examples: [Self] { [Self(connectionHandle: ConnectionHandle(0x0040), parameters: .example)] }

  /// What the controller answers to ``LERemoteConnectionParameterRequestReply``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Remote_Connection_Parameter_Request_Reply return parameters"

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

/// Refuses the peer's wish for other connection parameters (Core, Vol 4 Part E 7.8.32).
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
  public static let name = "HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply"
  public static let opcode = HCIOpcode(0x2021)

  public let connectionHandle: ConnectionHandle
  public let reason: HCIErrorCode

  public init(connectionHandle: ConnectionHandle, reason: HCIErrorCode) {
    self.connectionHandle = connectionHandle
    self.reason = reason
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    connectionHandle = try reader.connectionHandle("Connection_Handle")
    reason = try reader.value("Reason")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(connectionHandle)
    writer.append(reason)
  }

  public static var examples: [Self] {
    [Self(connectionHandle: ConnectionHandle(0x0040), reason: .unacceptableConnectionParameters)]
  }

  /// What the controller answers to ``LERemoteConnectionParameterRequestNegativeReply``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply return parameters"

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
