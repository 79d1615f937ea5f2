import BLECore
import BLEWire

/// The commands that a controller supports, with their handlers.
struct CommandTable {
  /// The result of a handler: the response, and what begins after the response was sent.
  private struct Answer {
    var packet: HCIPacket?
    var afterwards: (() -> Void)?
  }

  private typealias Handler = (VirtualController, HCICommandPacket) throws -> Answer

  private var handlers: [HCIOpcode: Handler] = [:]
  private var refusals: [HCIOpcode: (HCIErrorCode) -> HCIPacket] = [:]

  /// `nonisolated(unsafe)`: made once, immutable, and its closures capture nothing.
  nonisolated(unsafe) private static let all: CommandTable = {
    var table = CommandTable()
    VirtualController.addSetupCommands(to: &table)
    VirtualController.addInformationCommands(to: &table)
    VirtualController.addListCommands(to: &table)
    VirtualController.addPrivacyCommands(to: &table)
    VirtualController.addAdvertisingCommands(to: &table)
    VirtualController.addExtendedAdvertisingCommands(to: &table)
    VirtualController.addScanCommands(to: &table)
    VirtualController.addConnectCommands(to: &table)
    VirtualController.addLinkCommands(to: &table)
    VirtualController.addEncryptionCommands(to: &table)
    return table
  }()

  /// One set for all controllers that support everything, which most do.
  private static let everyOpcode = Set(all.handlers.keys)

  /// The commands that a controller with this configuration supports.
  static func opcodes(for configuration: ControllerConfiguration) -> Set<HCIOpcode> {
    if configuration.supportsExtendedAdvertising, configuration.supportsResolvingList,
      configuration.supportsDataLengthExtension, configuration.supportsFurtherPHYs
    {
      return everyOpcode
    }
    var opcodes = everyOpcode
    if !configuration.supportsExtendedAdvertising { opcodes.subtract(VirtualController.extendedCommands) }
    if !configuration.supportsResolvingList { opcodes.subtract(VirtualController.resolvingCommands) }
    if !configuration.supportsDataLengthExtension { opcodes.subtract(VirtualController.dataLengthCommands) }
    if !configuration.supportsFurtherPHYs { opcodes.subtract(VirtualController.phyCommands) }
    return opcodes
  }

  /// Executes a command with arbitrary octets, and sends the response.
  static func run(_ octets: [UInt8], on controller: VirtualController) {
    guard let command = try? HCICommandPacket(octets) else {
      let opcode = HCIOpcode(UInt16(octets[0]) | UInt16(octets[1]) << 8)
      let refuse = all.refusals[opcode] ?? { HCIPacket.commandStatus($0, of: opcode) }
      controller.toHost(refuse(.invalidParameters))
      return
    }
    guard controller.supportedCommands.contains(command.opcode), let handler = all.handlers[command.opcode],
      let refuse = all.refusals[command.opcode]
    else {
      if command.opcode != .none { controller.toHost(.commandStatus(.unknownCommand, of: command.opcode)) }
      return
    }
    do {
      if let error = controller.faults.takeRefusal(of: command.opcode) { throw error }
      let answer = try handler(controller, command)
      if let packet = answer.packet { controller.toHost(packet) }
      answer.afterwards?()
    } catch let error as HCIErrorCode {
      controller.toHost(refuse(error))
    } catch {
      controller.toHost(refuse(.invalidParameters))
    }
  }

  // MARK: Declarations

  /// A command whose response has return parameters.
  mutating func values<Command: HCICommand>(
    _ type: Command.Type, _ body: @escaping (VirtualController, Command) throws -> Command.ReturnParameters
  ) {
    handlers[Command.opcode] = { controller, packet in
      let values = try body(controller, packet.decode(type))
      return Answer(packet: .commandComplete(type, values))
    }
    refusals[Command.opcode] = { Self.refusal(type, $0) }
  }

  /// A command whose response has a status only. The body throws to refuse it.
  mutating func action<Command: HCICommand>(
    _ type: Command.Type, _ body: @escaping (VirtualController, Command) throws -> Void
  ) where Command.ReturnParameters == HCIStatusReturn {
    values(type) { controller, command in
      try body(controller, command)
      return HCIStatusReturn()
    }
  }

  /// A command that begins something after Command Status: `body` validates it and returns what begins.
  mutating func beginning<Command: HCIStatusCommand>(
    _ type: Command.Type, _ body: @escaping (VirtualController, Command) throws -> (() -> Void)
  ) {
    handlers[Command.opcode] = { controller, packet in
      let afterwards = try body(controller, packet.decode(type))
      return Answer(packet: .commandStatus(.success, of: Command.opcode), afterwards: afterwards)
    }
    refusals[Command.opcode] = { .commandStatus($0, of: Command.opcode) }
  }

  /// A command whose response has a status only, and that begins something after it.
  mutating func actionThen<Command: HCICommand>(
    _ type: Command.Type, _ body: @escaping (VirtualController, Command) throws -> (() -> Void)
  ) where Command.ReturnParameters == HCIStatusReturn {
    handlers[Command.opcode] = { controller, packet in
      let afterwards = try body(controller, packet.decode(type))
      return Answer(packet: .commandComplete(type, HCIStatusReturn()), afterwards: afterwards)
    }
    refusals[Command.opcode] = { Self.refusal(type, $0) }
  }

  /// A command without a response, unless it is invalid.
  mutating func silent<Command: HCICommand>(
    _ type: Command.Type, _ body: @escaping (VirtualController, Command) throws -> Void
  ) {
    handlers[Command.opcode] = { controller, packet in
      try body(controller, packet.decode(type))
      return Answer()
    }
    refusals[Command.opcode] = { Self.refusal(type, $0) }
  }

  /// The error status, and zeros for the other octets of the response.
  private static func refusal<Command: HCICommand>(_ type: Command.Type, _ error: HCIErrorCode) -> HCIPacket {
    let count = Command.ReturnParameters.examples.map(\.octets.count).max() ?? 1
    var octets = [UInt8](repeating: 0, count: max(1, count))
    octets[0] = error.rawValue
    return HCIPacket(
      CommandCompleteEvent(commandCredits: 1, opcode: Command.opcode, returnParameters: octets[...]))
  }
}
