import BLECore

/// Reads what the controller is (Core, Vol 4 Part E 7.4.1).
public struct HCIReadLocalVersionInformation: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_Read_Local_Version_Information", HCIOpcode(0x1001))

  public init() {}

  /// What the controller answers to ``HCIReadLocalVersionInformation``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let version: HCIVersion
    /// The vendor's revision of HCI.
    public let revision: UInt16
    public let linkLayerVersion: HCIVersion
    /// The vendor, from the assigned numbers.
    public let companyIdentifier: UInt16
    /// The vendor's revision of the link layer.
    public let linkLayerSubversion: UInt16

    public init(
      status: HCIErrorCode = .success, version: HCIVersion, revision: UInt16, linkLayerVersion: HCIVersion,
      companyIdentifier: UInt16, linkLayerSubversion: UInt16
    ) {
      self.status = status
      self.version = version
      self.revision = revision
      self.linkLayerVersion = linkLayerVersion
      self.companyIdentifier = companyIdentifier
      self.linkLayerSubversion = linkLayerSubversion
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("HCI_Version", \.version), Field("HCI_Subversion", \.revision),
      Field("LMP_Version", \.linkLayerVersion), Field("Company_Identifier", \.companyIdentifier),
      Field("LMP_Subversion", \.linkLayerSubversion))
  }
}

/// Reads which commands the controller knows (Core, Vol 4 Part E 7.4.2).
public struct HCIReadLocalSupportedCommands: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_Read_Local_Supported_Commands", HCIOpcode(0x1002))

  public init() {}

  /// What the controller answers to ``HCIReadLocalSupportedCommands``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let commands: HCISupportedCommands

    public init(status: HCIErrorCode = .success, commands: HCISupportedCommands) {
      self.status = status
      self.commands = commands
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("Supported_Commands", \.commands))
  }
}

/// Reads what the controller can do on both transports (Core, Vol 4 Part E 7.4.3).
public struct HCIReadLocalSupportedFeatures: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_Read_Local_Supported_Features", HCIOpcode(0x1003))

  public init() {}

  /// What the controller answers to ``HCIReadLocalSupportedFeatures``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let features: LMPFeatures

    public init(status: HCIErrorCode = .success, features: LMPFeatures) {
      self.status = status
      self.features = features
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("LMP_Features", \.features))
  }
}

/// Reads the buffers that LE shares with BR/EDR where LE has none of its own (Core, Vol 4 Part E 7.4.5).
public struct HCIReadBufferSize: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_Read_Buffer_Size", HCIOpcode(0x1005))

  public init() {}

  /// What the controller answers to ``HCIReadBufferSize``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// Octets of data in one packet, without the header.
    public let aclDataPacketLength: UInt16
    /// Octets of data in one packet, without the header.
    public let synchronousDataPacketLength: UInt8
    /// Packets that the controller can hold.
    public let aclDataPacketCount: UInt16
    /// Packets that the controller can hold.
    public let synchronousDataPacketCount: UInt16

    public init(
      status: HCIErrorCode = .success, aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8,
      aclDataPacketCount: UInt16, synchronousDataPacketCount: UInt16
    ) {
      self.status = status
      self.aclDataPacketLength = aclDataPacketLength
      self.synchronousDataPacketLength = synchronousDataPacketLength
      self.aclDataPacketCount = aclDataPacketCount
      self.synchronousDataPacketCount = synchronousDataPacketCount
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("ACL_Data_Packet_Length", \.aclDataPacketLength),
      Field("Synchronous_Data_Packet_Length", \.synchronousDataPacketLength),
      Field("Total_Num_ACL_Data_Packets", \.aclDataPacketCount),
      Field("Total_Num_Synchronous_Data_Packets", \.synchronousDataPacketCount))
  }
}

/// Reads the controller's public address (Core, Vol 4 Part E 7.4.6).
public struct HCIReadBDADDR: HCICommand, EmptyPacket {
  public static let (name, opcode) = ("HCI_Read_BD_ADDR", HCIOpcode(0x1009))

  public init() {}

  /// What the controller answers to ``HCIReadBDADDR``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    /// All zeros where the controller has none.
    public let address: DeviceAddress

    public init(status: HCIErrorCode = .success, address: DeviceAddress) {
      self.status = status
      self.address = address
    }

    static let layout = Layout(Self.init, Field("Status", \.status), Field("BD_ADDR", \.address, .address(.public)))
  }
}

/// Reads the strength of the peer's signal (Core, Vol 4 Part E 7.5.4).
public struct HCIReadRSSI: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Read_RSSI", HCIOpcode(0x1405))

  public let connectionHandle: ConnectionHandle

  public init(connectionHandle: ConnectionHandle) { self.connectionHandle = connectionHandle }

  static let layout = Layout(Self.init, Field("Connection_Handle", \.connectionHandle))

  /// What the controller answers to ``HCIReadRSSI``.
  public struct ReturnParameters: HCIReturnParameters, HasLayout {
    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    /// In dBm; 127 where it is not known.
    public let rssi: Int8

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, rssi: Int8) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.rssi = rssi
    }

    static let layout = Layout(
      Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle), Field("RSSI", \.rssi))
  }
}
