import BLECore

/// Reads what the controller is (Core, Vol 4 Part E 7.4.1).
public struct HCIReadLocalVersionInformation: HCICommand {
  public static let name = "HCI_Read_Local_Version_Information"
  public static let opcode = HCIOpcode(0x1001)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``HCIReadLocalVersionInformation``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_Local_Version_Information return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      version = try reader.value("HCI_Version")
      revision = try reader.uint16("HCI_Subversion")
      linkLayerVersion = try reader.value("LMP_Version")
      companyIdentifier = try reader.uint16("Company_Identifier")
      linkLayerSubversion = try reader.uint16("LMP_Subversion")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(version)
      writer.append(revision)
      writer.append(linkLayerVersion)
      writer.append(companyIdentifier)
      writer.append(linkLayerSubversion)
    }

    public static var examples: [Self] {
      [
        Self(
          status: .success, version: .v5_4, revision: 0x0123, linkLayerVersion: .v5_4, companyIdentifier: 0x0123,
          linkLayerSubversion: 0x0123)
      ]
    }
  }
}

/// Reads which commands the controller knows (Core, Vol 4 Part E 7.4.2).
public struct HCIReadLocalSupportedCommands: HCICommand {
  public static let name = "HCI_Read_Local_Supported_Commands"
  public static let opcode = HCIOpcode(0x1002)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``HCIReadLocalSupportedCommands``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_Local_Supported_Commands return parameters"

    public let status: HCIErrorCode
    public let commands: HCISupportedCommands

    public init(status: HCIErrorCode = .success, commands: HCISupportedCommands) {
      self.status = status
      self.commands = commands
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      commands = HCISupportedCommands(octets: try reader.octets(64, "Supported_Commands"))
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(contentsOf: commands.octets)
    }

    public static var examples: [Self] {
      [Self(status: .success, commands: HCISupportedCommands([.init(0x0C03), .init(0x2002)]))]
    }
  }
}

/// Reads what the controller can do on both transports (Core, Vol 4 Part E 7.4.3).
public struct HCIReadLocalSupportedFeatures: HCICommand {
  public static let name = "HCI_Read_Local_Supported_Features"
  public static let opcode = HCIOpcode(0x1003)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``HCIReadLocalSupportedFeatures``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_Local_Supported_Features return parameters"

    public let status: HCIErrorCode
    public let features: LMPFeatures

    public init(status: HCIErrorCode = .success, features: LMPFeatures) {
      self.status = status
      self.features = features
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      features = try reader.bits("LMP_Features")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(features)
    }

    public static var examples: [Self] { [Self(status: .success, features: [.brEDRNotSupported, .leSupported])] }
  }
}

/// Reads the buffers that LE shares with BR/EDR where LE has none of its own (Core, Vol 4 Part E 7.4.5).
public struct HCIReadBufferSize: HCICommand {
  public static let name = "HCI_Read_Buffer_Size"
  public static let opcode = HCIOpcode(0x1005)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``HCIReadBufferSize``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_Buffer_Size return parameters"

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

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      aclDataPacketLength = try reader.uint16("ACL_Data_Packet_Length")
      synchronousDataPacketLength = try reader.uint8("Synchronous_Data_Packet_Length")
      aclDataPacketCount = try reader.uint16("Total_Num_ACL_Data_Packets")
      synchronousDataPacketCount = try reader.uint16("Total_Num_Synchronous_Data_Packets")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(aclDataPacketLength)
      writer.append(synchronousDataPacketLength)
      writer.append(aclDataPacketCount)
      writer.append(synchronousDataPacketCount)
    }

    public static var examples: [Self] {
      [
        Self(
          status: .success, aclDataPacketLength: 0x0123, synchronousDataPacketLength: 0x05, aclDataPacketCount: 0x0123,
          synchronousDataPacketCount: 0x0123)
      ]
    }
  }
}

/// Reads the controller's public address (Core, Vol 4 Part E 7.4.6).
public struct HCIReadBDADDR: HCICommand {
  public static let name = "HCI_Read_BD_ADDR"
  public static let opcode = HCIOpcode(0x1009)

  public init() {}
  public init(from reader: inout ByteReader) throws(DecodeError) {}
  public func encode(into writer: inout ByteWriter) {}
  public static var examples: [Self] { [Self()] }

  /// What the controller answers to ``HCIReadBDADDR``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_BD_ADDR return parameters"

    public let status: HCIErrorCode
    /// All zeros where the controller has none.
    public let address: DeviceAddress

    public init(status: HCIErrorCode = .success, address: DeviceAddress) {
      self.status = status
      self.address = address
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      address = try reader.deviceAddress(kind: .public, "BD_ADDR")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(address)
    }

    public static var examples: [Self] {
      [Self(status: .success, address: DeviceAddress(0x0012_3456_789A, kind: .public))]
    }
  }
}

/// Reads the strength of the peer's signal (Core, Vol 4 Part E 7.5.4).
public struct HCIReadRSSI: HCICommand {
  public static let name = "HCI_Read_RSSI"
  public static let opcode = HCIOpcode(0x1405)

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

  /// What the controller answers to ``HCIReadRSSI``.
  public struct ReturnParameters: HCIReturnParameters {
    public static let name = "HCI_Read_RSSI return parameters"

    public let status: HCIErrorCode
    public let connectionHandle: ConnectionHandle
    /// In dBm; 127 where it is not known.
    public let rssi: Int8

    public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle, rssi: Int8) {
      self.status = status
      self.connectionHandle = connectionHandle
      self.rssi = rssi
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
      status = try reader.value("Status")
      connectionHandle = try reader.connectionHandle("Connection_Handle")
      rssi = try reader.int8("RSSI")
    }

    public func encode(into writer: inout ByteWriter) {
      writer.append(status)
      writer.append(connectionHandle)
      writer.append(rssi)
    }

    public static var examples: [Self] {
      [Self(status: .success, connectionHandle: ConnectionHandle(0x0040), rssi: -60)]
    }
  }
}
