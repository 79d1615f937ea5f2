import BLECore

/// A command has ended, with its return parameters (Core, Vol 4 Part E 7.7.14).
public struct CommandCompleteEvent: HCIEventParameters {
  public static let name = "HCI_Command_Complete"
  public static let code = HCIEventCode(0x0E)

  /// How many commands the host may send now.
  public let commandCredits: UInt8
  /// ``HCIOpcode/none`` where only the number of commands is told.
  public let opcode: HCIOpcode
  /// Octets as the command declares them, beginning with the status.
  public let returnParameters: ArraySlice<UInt8>

  public init(commandCredits: UInt8, opcode: HCIOpcode, returnParameters: ArraySlice<UInt8>) {
    self.commandCredits = commandCredits
    self.opcode = opcode
    self.returnParameters = returnParameters
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    commandCredits = try reader.uint8("Num_HCI_Command_Packets")
    opcode = HCIOpcode(try reader.uint16("Command_Opcode"))
    returnParameters = reader.rest()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(commandCredits)
    writer.append(opcode.rawValue)
    writer.append(contentsOf: returnParameters)
  }

  public static var examples: [Self] {
    [
      Self(commandCredits: 1, opcode: HCIReset.opcode, returnParameters: [0x00]),
      Self(commandCredits: 1, opcode: .none, returnParameters: []),
    ]
  }
}

/// A command was refused or has begun; an event tells its end (Core, Vol 4 Part E 7.7.15).
public struct CommandStatusEvent: HCIEventParameters {
  public static let name = "HCI_Command_Status"
  public static let code = HCIEventCode(0x0F)

  public let status: HCIErrorCode
  /// How many commands the host may send now.
  public let commandCredits: UInt8
  /// ``HCIOpcode/none`` where only the number of commands is told.
  public let opcode: HCIOpcode

  public init(status: HCIErrorCode, commandCredits: UInt8, opcode: HCIOpcode) {
    self.status = status
    self.commandCredits = commandCredits
    self.opcode = opcode
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    status = try reader.value("Status")
    commandCredits = try reader.uint8("Num_HCI_Command_Packets")
    opcode = HCIOpcode(try reader.uint16("Command_Opcode"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(status)
    writer.append(commandCredits)
    writer.append(opcode.rawValue)
  }

  public static var examples: [Self] {
    [Self(status: .success, commandCredits: 1, opcode: HCIDisconnect.opcode)]
  }
}

/// The controller has sent data: its buffers are free again (Core, Vol 4 Part E 7.7.19).
public struct NumberOfCompletedPacketsEvent: HCIEventParameters {
  public static let name = "HCI_Number_Of_Completed_Packets"
  public static let code = HCIEventCode(0x13)

  public let counts: HCICompletedPackets

  public init(counts: HCICompletedPackets) {
    self.counts = counts
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    counts = try reader.completedPackets()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(counts)
  }

  public static var examples: [Self] {
    let entry = HCICompletedPackets.Entry(connectionHandle: ConnectionHandle(0x0040), count: 3)
    return [
      Self(counts: HCICompletedPackets([])),
      Self(counts: HCICompletedPackets([entry, .init(connectionHandle: ConnectionHandle(0x0041), count: 1)])),
    ]
  }
}

/// The controller has failed (Core, Vol 4 Part E 7.7.16).
public struct HardwareErrorEvent: HCIEventParameters {
  public static let name = "HCI_Hardware_Error"
  public static let code = HCIEventCode(0x10)

  /// The vendor's number for what happened.
  public let hardwareCode: UInt8

  public init(hardwareCode: UInt8) {
    self.hardwareCode = hardwareCode
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    hardwareCode = try reader.uint8("Hardware_Code")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(hardwareCode)
  }

  public static var examples: [Self] { [Self(hardwareCode: 0x05)] }
}

/// The host has sent more data than the controller could hold (Core, Vol 4 Part E 7.7.26).
public struct DataBufferOverflowEvent: HCIEventParameters {
  public static let name = "HCI_Data_Buffer_Overflow"
  public static let code = HCIEventCode(0x1A)

  /// 0: synchronous, 1: ACL, 2: isochronous.
  public let linkType: UInt8

  public init(linkType: UInt8) {
    self.linkType = linkType
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    linkType = try reader.uint8("Link_Type")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(linkType)
  }

  public static var examples: [Self] { [Self(linkType: 0x05)] }
}

extension HCIPacket {
  /// ``NumberOfCompletedPacketsEvent`` of one link, which a controller sends for nearly every packet of data: one
  /// allocation.
  public static func numberOfCompletedPackets(_ count: UInt16, of handle: ConnectionHandle) -> HCIPacket {
    HCIPacket(
      kind: .event,
      octets: [
        NumberOfCompletedPacketsEvent.code.event, 5, 1, UInt8(truncatingIfNeeded: handle.rawValue),
        UInt8(truncatingIfNeeded: handle.rawValue >> 8), UInt8(truncatingIfNeeded: count),
        UInt8(truncatingIfNeeded: count >> 8),
      ])
  }
}
