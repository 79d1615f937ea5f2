import BLECore

/// Says how much data the host can hold, for the flow control from controller to host (Core, Vol 4 Part E 7.3.39).
public struct HCIHostBufferSize: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Host_Buffer_Size", HCIOpcode(0x0C33))

  /// Octets of data in one packet, without the header.
  public let aclDataPacketLength: UInt16
  public let synchronousDataPacketLength: UInt8
  public let aclDataPacketCount: UInt16
  public let synchronousDataPacketCount: UInt16

  public init(
    aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8 = 0, aclDataPacketCount: UInt16,
    synchronousDataPacketCount: UInt16 = 0
  ) {
    self.aclDataPacketLength = aclDataPacketLength
    self.synchronousDataPacketLength = synchronousDataPacketLength
    self.aclDataPacketCount = aclDataPacketCount
    self.synchronousDataPacketCount = synchronousDataPacketCount
  }

  static let layout = Layout(
    Self.init, Field("Host_ACL_Data_Packet_Length", \.aclDataPacketLength),
    Field("Host_Synchronous_Data_Packet_Length", \.synchronousDataPacketLength),
    Field("Host_Total_Num_ACL_Data_Packets", \.aclDataPacketCount),
    Field("Host_Total_Num_Synchronous_Data_Packets", \.synchronousDataPacketCount))
}

/// Switches the flow control from controller to host (Core, Vol 4 Part E 7.3.38).
public struct HCISetControllerToHostFlowControl: HCICommand, HasLayout {
  public static let (name, opcode) = ("HCI_Set_Controller_To_Host_Flow_Control", HCIOpcode(0x0C31))

  /// Which data is under flow control.
  public struct Mode: WireNumber, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let off = Self(rawValue: 0x00)
    public static let acl = Self(rawValue: 0x01)
    public static let synchronous = Self(rawValue: 0x02)
    public static let both = Self(rawValue: 0x03)
  }

  public let mode: Mode

  public init(mode: Mode) { self.mode = mode }

  static let layout = Layout(Self.init, Field("Flow_Control_Enable", \.mode))
}

/// Reports how many packets the host has processed (Core, Vol 4 Part E 7.3.40).
///
/// The only command that needs no credit, and that is answered only on an error.
public struct HCIHostNumberOfCompletedPackets: HCICommand {
  public static let (name, opcode) = ("HCI_Host_Number_Of_Completed_Packets", HCIOpcode(0x0C35))

  public let counts: HCICompletedPackets

  public init(counts: HCICompletedPackets) { self.counts = counts }

  public init(from reader: inout ByteReader) throws(DecodeError) { counts = try reader.value("Connection_Handle") }

  public func encode(into writer: inout ByteWriter) { writer.append(counts) }

  public static var examples: [Self] {
    [Self(counts: HCICompletedPackets([.init(connectionHandle: ConnectionHandle(0x0040), count: 2)]))]
  }
}
