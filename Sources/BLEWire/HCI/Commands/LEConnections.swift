import BLECore

/// Connects to an advertiser; a connection complete event follows (Core, Vol 4 Part E 7.8.12).
public struct LECreateConnection: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Create_Connection", HCIOpcode(0x200D))

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

  static let layout = Layout(
    Self.init, Field("LE_Scan_Interval", \.scanInterval), Field("LE_Scan_Window", \.scanWindow),
    Field("Initiator_Filter_Policy", \.filterPolicy), Field("Peer_Address", \.peerAddress),
    Field("Own_Address_Type", \.ownAddressType), Field(\.parameters))
}

/// Cancels connecting; the connection complete event follows with Unknown Connection Identifier (Core, Vol 4 Part E 7.8.13).
public struct LECreateConnectionCancel: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_LE_Create_Connection_Cancel", HCIOpcode(0x200E))

  public init() {}
}

/// Connects to an advertiser, with parameters for each PHY; a connection complete event follows
/// (Core, Vol 4 Part E 7.8.66).
public struct LEExtendedCreateConnection: HCIStatusCommand {
  public static let (name, opcode) = ("HCI_LE_Extended_Create_Connection [v1]", HCIOpcode(0x2043))

  /// How to scan and to connect on one PHY.
  public struct Entry: Equatable, HasLayout, WireValue {
    public let scanInterval: ScanInterval
    /// At most the interval.
    public let scanWindow: ScanInterval
    public let parameters: ConnectionParameters

    public init(scanInterval: ScanInterval, scanWindow: ScanInterval, parameters: ConnectionParameters) {
      self.scanInterval = scanInterval
      self.scanWindow = scanWindow
      self.parameters = parameters
    }

    static let layout = Layout(
      Self.init, Field("Scan_Interval", \.scanInterval), Field("Scan_Window", \.scanWindow), Field(\.parameters))
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
    peerAddress = try reader.value("Peer_Address")
    phys = try reader.value("Initiating_PHYs")
    entries = try reader.values(phys.rawValue.nonzeroBitCount, "Entry")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(filterPolicy)
    writer.append(ownAddressType)
    writer.append(peerAddress)
    writer.append(phys)
    for entry in entries { writer.append(entry) }
  }

  public static var examples: [Self] {
    [
      Self(
        filterPolicy: .peerAddress, ownAddressType: .random, peerAddress: .example, phys: .le1M, entries: [.example]),
      Self(
        filterPolicy: .acceptList, ownAddressType: .public, peerAddress: .none, phys: [.le1M, .le2M, .leCoded],
        entries: [.example, .example, .example]),
    ]
  }
}

/// Asks for other connection parameters; the event of the same name follows (Core, Vol 4 Part E 7.8.18).
public struct LEConnectionUpdate: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Connection_Update", HCIOpcode(0x2013))

  public let connectionHandle: ConnectionHandle
  public let parameters: ConnectionParameters

  public init(connectionHandle: ConnectionHandle, parameters: ConnectionParameters) {
    self.connectionHandle = connectionHandle
    self.parameters = parameters
  }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle), Field(\.parameters))
}

/// Says which channels the host knows to be bad (Core, Vol 4 Part E 7.8.19).
public struct LESetHostChannelClassification: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Set_Host_Channel_Classification", HCIOpcode(0x2014))

  public let channels: LEChannelMap

  public init(channels: LEChannelMap) { self.channels = channels }

  static let layout = Layout(Self.init, Field("Channel_Map", \.channels))
}

/// Reads the channels in use on a connection (Core, Vol 4 Part E 7.8.20).
public struct LEReadChannelMap: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Read_Channel_Map", HCIOpcode(0x2015))

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))

  /// What the controller answers to ``LEReadChannelMap``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    public let channels: LEChannelMap

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, channels: LEChannelMap) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.channels = channels
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle),
      Field("Channel_Map", \.channels))
  }
}

/// Asks for the peer's features; the event of the same name follows (Core, Vol 4 Part E 7.8.21).
public struct LEReadRemoteFeatures: HCIStatusCommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Read_Remote_Features", HCIOpcode(0x2016))

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))
}

/// Accepts the peer's request for other connection parameters (Core, Vol 4 Part E 7.8.31).
public struct LERemoteConnectionParameterRequestReply: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Remote_Connection_Parameter_Request_Reply", HCIOpcode(0x2020))
  public typealias ReturnParameters = HCIConnectionReturn

  public let connectionHandle: ConnectionHandle
  public let parameters: ConnectionParameters

  public init(connectionHandle: ConnectionHandle, parameters: ConnectionParameters) {
    self.connectionHandle = connectionHandle
    self.parameters = parameters
  }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle), Field(\.parameters))
}

/// Refuses the peer's request for other connection parameters (Core, Vol 4 Part E 7.8.32).
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply", HCIOpcode(0x2021))
  public typealias ReturnParameters = HCIConnectionReturn

  public let connectionHandle: ConnectionHandle
  public let reason: HCIErrorCode

  public init(connectionHandle: ConnectionHandle, reason: HCIErrorCode) {
    self.connectionHandle = connectionHandle
    self.reason = reason
  }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle), Field("Reason", \.reason))
}
