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
    commonOptions: [], rootOptions: [],
    otherNames: [
      "exit": "quit", "bye": "quit", "?": "help", "notify": "subscribe", "listen": "subscribe", "services": "explore",
      "characteristics": "explore", "list": "explore", "ls": "explore",
    ])

  static let names = parser.root.subcommands.map(\.name) + ["help"]
}

struct ShellExplore: ShellCommand {
  static let node = CommandNode(
    "explore", abstract: "Print services, characteristics, descriptors and values.", make: Self.init)

  func run(in shell: Shell) async throws(ToolError) {
    try await shell.device().printTree()
    await shell.lookAround()
  }
}

struct ShellRead: ShellCommand {
  static let node = CommandNode(
    "read", abstract: "Read a characteristic.", ReadCommand.characteristic, ReadCommand.format, make: Self.init)

  let characteristic: CharacteristicName
  let format: ValueFormat?

  func run(in shell: Shell) async throws(ToolError) {
    try await shell.device().printValue(of: characteristic, format)
  }
}

struct ShellWrite: ShellCommand {
  static let value = Parameter<String>.argument("value", "The value, at most 512 octets.")
  static let node = CommandNode(
    "write", abstract: "Write a characteristic.", ReadCommand.characteristic, value, WriteCommand.format,
    WriteCommand.withoutResponse
  ) { (characteristic, text, format, isCommand) throws(UsageError) in
    ShellWrite(
      characteristic: characteristic, octets: try WriteCommand.octets(of: text, format), needsResponse: !isCommand)
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
    ReadCommand.characteristic, ReadCommand.format, make: Self.init)

  let characteristic: CharacteristicName
  let format: ValueFormat?

  func run(in shell: Shell) async throws(ToolError) { try await shell.subscribe(characteristic, format) }
}

struct ShellUnsubscribe: ShellCommand {
  static let node = CommandNode(
    "unsubscribe", abstract: "Disable a characteristic's notifications.", ReadCommand.characteristic, make: Self.init)

  let characteristic: CharacteristicName

  func run(in shell: Shell) async throws(ToolError) { try await shell.unsubscribe(characteristic) }
}
