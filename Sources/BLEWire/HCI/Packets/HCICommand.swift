import BLECore

/// A command that a host sends to its controller.
public protocol HCICommand: WirePacket {
  /// What the controller answers, beginning with the status.
  associatedtype ReturnParameters: HCIReturnParameters = HCIStatusReturn
  static var opcode: HCIOpcode { get }
  /// True where the controller answers by Command Status and an event tells the rest later; otherwise by Command Complete.
  static var isAnsweredByStatus: Bool { get }
}

extension HCICommand {
  public static var isAnsweredByStatus: Bool { false }
}

/// A command that starts something: the controller answers by Command Status, and an event follows at the end.
public protocol HCIStatusCommand: HCICommand where ReturnParameters == HCIStatusReturn {}

extension HCIStatusCommand {
  public static var isAnsweredByStatus: Bool { true }
}

/// What a controller answers to a command. Where the status is an error, the rest means nothing and may be missing.
public protocol HCIReturnParameters: WirePacket {
  var status: HCIErrorCode { get }
}

extension HCIReturnParameters {
  public static var name: String { "return parameters" }
}

/// An answer that is only a status.
public struct HCIStatusReturn: HCIReturnParameters, HasLayout {
  public static let name = "Status"

  public let status: HCIErrorCode

  public init(status: HCIErrorCode = .success) { self.status = status }

  static let layout = Layout(Self.init, Field("Status", \.status))
}

/// An answer that is a status and the link that the command was about.
public struct HCIConnectionReturn: HCIReturnParameters, HasLayout {
  public let status: HCIErrorCode
  public let connectionHandle: ConnectionHandle

  public init(status: HCIErrorCode = .success, connectionHandle: ConnectionHandle) {
    self.status = status
    self.connectionHandle = connectionHandle
  }

  static let layout = Layout(Self.init, Field("Status", \.status), Field("Connection_Handle", \.connectionHandle))
}

/// A command as it travels: the opcode and the octets of its parameters, known or not (Core, Vol 4 Part E 5.4.1).
public struct HCICommandPacket: Equatable, Sendable {
  public static let headerLength = 3

  public let opcode: HCIOpcode
  public let parameters: ArraySlice<UInt8>

  public init(opcode: HCIOpcode, parameters: ArraySlice<UInt8>) {
    self.opcode = opcode
    self.parameters = parameters
  }

  /// Reads the octets from the opcode on; the length must be that of the parameters.
  public init(_ octets: [UInt8]) throws(DecodeError) {
    var reader = ByteReader(octets, layer: WireLayer.hciCommand.rawValue)
    opcode = HCIOpcode(try reader.uint16("Opcode"))
    parameters = try reader.octets(Int(try reader.uint8("Parameter_Total_Length")), "Parameters")
    try reader.finish()
  }

  /// The parameters as `Command` declares them.
  public func decode<Command: HCICommand>(_ command: Command.Type) throws(DecodeError) -> Command {
    var reader = ByteReader(parameters, layer: WireLayer.hciCommand.rawValue)
    let decoded = try Command(from: &reader)
    try reader.finish()
    return decoded
  }
}

extension HCIPacket {
  /// A command with its header.
  public init<Command: HCICommand>(_ command: Command) {
    var writer = ByteWriter(headroom: HCICommandPacket.headerLength)
    command.encode(into: &writer)
    writer.store(Command.opcode.rawValue, at: 0)
    writer.store(UInt8(clamping: writer.count - HCICommandPacket.headerLength), at: 2)
    self.init(kind: .command, octets: writer.octets)
  }
}
