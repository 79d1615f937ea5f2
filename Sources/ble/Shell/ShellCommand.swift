/// A command of the shell, with its arguments.
protocol ShellCommand: ToolCommand {
  @MainActor func run(in shell: Shell) async throws(ToolError)
}

extension ShellCommand {
  func run(in session: Session) async throws(ToolError) {
    throw ToolError(.usage, "This is a command of 'ble connect'.")
  }
}

/// All commands of the shell, for parsing, help and completion.
enum ShellTree {
  static let parser = CommandLineParser(
    root: CommandNode(
      group: "", abstract: "Talk to a connected device.",
      subcommands: [
        ShellExplore.node, ShellRead.node, ShellWrite.node, ShellSubscribe.node, ShellUnsubscribe.node, ShellRSSI.node,
        ShellInfo.node, ShellMTU.node, ShellDisconnect.node, ShellReconnect.node, ShellSleep.node, ShellQuit.node,
      ]),
    commonOptions: [], rootOptions: [])

  static let names = parser.root.subcommands.map(\.name) + ["help"]
}

struct ShellExplore: ShellCommand {
  static let node = CommandNode("explore", abstract: "Print services, characteristics, descriptors and values.") {
    (_) throws(UsageError) in ShellExplore()
  }

  func run(in shell: Shell) async throws(ToolError) {
    try await shell.device().printTree()
    await shell.lookAround()
  }
}

struct ShellRead: ShellCommand {
  static let node = CommandNode(
    "read", abstract: "Read a characteristic.", arguments: [ReadCommand.characteristic], options: [ReadCommand.format]
  ) { (arguments) throws(UsageError) in
    ShellRead(
      characteristic: try arguments.value(of: ReadCommand.characteristic),
      format: try arguments.value(of: ReadCommand.format))
  }

  let characteristic: CharacteristicName
  let format: ValueFormat?

  func run(in shell: Shell) async throws(ToolError) {
    try await shell.device().printValue(of: characteristic, format)
  }
}

struct ShellWrite: ShellCommand {
  static let value = Argument("value", "The value, at most 512 octets.")
  static let node = CommandNode(
    "write", abstract: "Write a characteristic.", arguments: [ReadCommand.characteristic, value],
    options: [WriteCommand.format, WriteCommand.withoutResponse]
  ) { (arguments) throws(UsageError) in
    let format: ValueFormat = try arguments.value(of: WriteCommand.format) ?? .utf8
    let text: String = try arguments.value(of: value)
    let octets: [UInt8]
    do throws(ArgumentValueError) {
      octets = try format.octets(of: text)
    } catch {
      throw UsageError("The value '\(text.inert)' is invalid for '<value>': \(error.reason)")
    }
    return ShellWrite(
      characteristic: try arguments.value(of: ReadCommand.characteristic), octets: octets,
      needsResponse: !arguments.isGiven(WriteCommand.withoutResponse))
  }

  let characteristic: CharacteristicName
  let octets: [UInt8]
  let needsResponse: Bool

  func run(in shell: Shell) async throws(ToolError) {
    try await shell.device().write(octets, to: characteristic, needsResponse: needsResponse)
  }
}

struct ShellSubscribe: ShellCommand {
  static let node = CommandNode(
    "subscribe", abstract: "Print each value that a characteristic notifies, from now on.",
    arguments: [ReadCommand.characteristic], options: [ReadCommand.format]
  ) { (arguments) throws(UsageError) in
    ShellSubscribe(
      characteristic: try arguments.value(of: ReadCommand.characteristic),
      format: try arguments.value(of: ReadCommand.format))
  }

  let characteristic: CharacteristicName
  let format: ValueFormat?

  func run(in shell: Shell) async throws(ToolError) { try await shell.subscribe(characteristic, format) }
}

struct ShellUnsubscribe: ShellCommand {
  static let node = CommandNode(
    "unsubscribe", abstract: "Disable a characteristic's notifications.", arguments: [ReadCommand.characteristic]
  ) { (arguments) throws(UsageError) in
    ShellUnsubscribe(characteristic: try arguments.value(of: ReadCommand.characteristic))
  }

  let characteristic: CharacteristicName

  func run(in shell: Shell) async throws(ToolError) { try await shell.unsubscribe(characteristic) }
}
