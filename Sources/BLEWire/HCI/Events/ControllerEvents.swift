import BLECore

/// A command has ended, with its return parameters (Core, Vol 4 Part E 7.7.14).
public struct CommandCompleteEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_Command_Complete"
  public static let code = HCIEventCode(0x0E)

  /// How many commands the host may send now.
  public let commandCredits: UInt8
  /// ``HCIOpcode/none`` where the event only updates `commandCredits`.
  public let opcode: HCIOpcode
  /// Octets as the command declares them, beginning with the status.
  public let returnParameters: ArraySlice<UInt8>

  public init(commandCredits: UInt8, opcode: HCIOpcode, returnParameters: ArraySlice<UInt8>) {
    self.commandCredits = commandCredits
    self.opcode = opcode
    self.returnParameters = returnParameters
  }

  static let layout = Layout(
    Self.init, Field("Num_HCI_Command_Packets", \.commandCredits), Field("Command_Opcode", \.opcode),
    Field("Return_Parameters", \.returnParameters, .rest))
}

/// A command was refused or has begun; an event tells its end (Core, Vol 4 Part E 7.7.15).
public struct CommandStatusEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_Command_Status"
  public static let code = HCIEventCode(0x0F)

  public let status: HCIErrorCode
  /// How many commands the host may send now.
  public let commandCredits: UInt8
  /// ``HCIOpcode/none`` where the event only updates `commandCredits`.
  public let opcode: HCIOpcode

  public init(status: HCIErrorCode, commandCredits: UInt8, opcode: HCIOpcode) {
    self.status = status
    self.commandCredits = commandCredits
    self.opcode = opcode
  }

  static let layout = Layout(
    Self.init, Field("Status", \.status), Field("Num_HCI_Command_Packets", \.commandCredits),
    Field("Command_Opcode", \.opcode))
}

/// The controller has sent data: its buffers are free again (Core, Vol 4 Part E 7.7.19).
public struct NumberOfCompletedPacketsEvent: HCIEventParameters {
  public static let name = "HCI_Number_Of_Completed_Packets"
  public static let code = HCIEventCode(0x13)

  public let counts: HCICompletedPackets

  public init(counts: HCICompletedPackets) { self.counts = counts }

  public init(from reader: inout ByteReader) throws(DecodeError) { counts = try reader.value("Connection_Handle") }

  public func encode(into writer: inout ByteWriter) { writer.append(counts) }

  public static var examples: [Self] {
    let entry = HCICompletedPackets.Entry(connectionHandle: ConnectionHandle(0x0040), count: 3)
    return [
      Self(counts: HCICompletedPackets([])),
      Self(counts: HCICompletedPackets([entry, .init(connectionHandle: ConnectionHandle(0x0041), count: 1)])),
    ]
  }
}

/// The controller has failed (Core, Vol 4 Part E 7.7.16).
public struct HardwareErrorEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_Hardware_Error"
  public static let code = HCIEventCode(0x10)

  /// The vendor's number for what happened.
  public let hardwareCode: UInt8

  public init(hardwareCode: UInt8) { self.hardwareCode = hardwareCode }

  static let layout = Layout(Self.init, Field("Hardware_Code", \.hardwareCode))
}

/// The host has sent more data than the controller could hold (Core, Vol 4 Part E 7.7.26).
public struct DataBufferOverflowEvent: HCIEventParameters, HasLayout {
  public static let name = "HCI_Data_Buffer_Overflow"
  public static let code = HCIEventCode(0x1A)

  /// 0: synchronous, 1: ACL, 2: isochronous.
  public let linkType: UInt8

  public init(linkType: UInt8) { self.linkType = linkType }

  static let layout = Layout(Self.init, Field("Link_Type", \.linkType))
}

extension HCIPacket {
  /// ``NumberOfCompletedPacketsEvent`` of one link, which a controller sends for nearly every packet of data: in the memory of `room` if
  /// nothing else refers to that and it is long enough; what `room` contains is overwritten.
  public static func numberOfCompletedPackets(
    _ count: UInt16, of handle: ConnectionHandle, in room: consuming [UInt8] = []
  ) -> HCIPacket {
    var writer = ByteWriter(capacity: 7, in: room)
    writer.append(NumberOfCompletedPacketsEvent.code.event)
    writer.append(5 as UInt8)
    writer.append(1 as UInt8)
    writer.append(handle.rawValue)
    writer.append(count)
    return HCIPacket(kind: .event, octets: writer.takeOctets())
  }
}
