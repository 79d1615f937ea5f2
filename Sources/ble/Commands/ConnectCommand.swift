import Foundation

/// `ble connect`: an interactive shell for one device.
struct ConnectCommand: ToolCommand {
  static let script = Parameter.option(
    "script", "script", "Carry out the commands of this file, one a line, and end; - is the standard input.",
    \String.self)
  static let keepGoing = Parameter.flag("keep-going", "Continue a script after a command that failed.")

  static let node = CommandNode(
    "connect", abstract: "Connect, and talk to a device command by command.",
    discussion: """
      The commands are explore, read, write, subscribe, unsubscribe, rssi, info, mtu, disconnect, reconnect, sleep, help \
      and quit; 'help' explains them. On a terminal lines are edited, completed with Tab and remembered; values that are \
      subscribed to appear above the line being typed. Ctrl-C abandons a line; on an empty one it ends the shell, as Ctrl-D does.

      A link that is lost is opened again when the device is there, and subscriptions are restored; until then commands that \
      need it fail.

      A script has the same commands, one a line, and comments behind #:

        subscribe "Battery Level"
        write 2A06 2 --format uint8 --without-response
        sleep 10

      A file is read as a whole before anything is done: a mistake in it is reported with file and line (status 65). A command \
      that fails is reported with file and line and ends the script, and its status is the script's; with --keep-going the \
      rest is carried out, and the status is the first failure's.
      """,
    ExploreCommand.target, script, keepGoing, make: Self.init)

  let target: Target
  let script: String?
  let keepsGoing: Bool

  func run(in session: Session) async throws(ToolError) {
    var lines: ShellScript?
    if let script, script != "-" { lines = try ShellScript(path: script) }
    let shell = Shell(try await KeptDevice(target, Shell.configuration, in: session), in: session)
    try await always(shell.disconnect) { () async throws(ToolError) in
      try await shell.connect()
      try await ShellRun(shell, keepsGoing: keepsGoing).run(lines, isTyped: script == nil && isatty(STDIN_FILENO) == 1)
    }
  }
}

/// One run of the shell: reads lines and executes them one at a time.
@MainActor private final class ShellRun {
  private let shell: Shell
  private let keepsGoing: Bool
  private var session: Session { shell.session }
  private var lines: [ShellLine] = []
  /// The first of the lines that has not been carried out.
  private var next = 0
  private var waitingCount: Int { lines.count - next }
  private var isAtEnd = false
  private var failure: ToolError?
  /// The prefix of error messages; `nil` for interactive input.
  private var origin: String?
  private var count = 0
  /// The beginning of an incomplete line.
  private var pending: [UInt8] = []

  /// The most commands that may wait.
  private static let mostWaiting = 65_536

  init(_ shell: Shell, keepsGoing: Bool) {
    self.shell = shell
    self.keepsGoing = keepsGoing
  }

  func run(_ script: ShellScript?, isTyped: Bool) async throws(ToolError) {
    if let script {
      origin = script.path.inert
      lines = script.lines
      isAtEnd = true
    } else if !isTyped {
      origin = "standard input"
    }
    let input = isTyped ? await listen() : nil
    let reader = script == nil && !isTyped ? read() : nil
    defer {
      input?.stop()
      reader?.stop()
    }
    while !shell.hasEnded {
      try await session.waiting.until(within: nil) { self.waitingCount > 0 || self.isAtEnd }
      guard waitingCount > 0 else { break }
      guard waitingCount <= Self.mostWaiting else {
        throw ToolError(.badData, "More than \(Self.mostWaiting) commands are waiting.")
      }
      try await carryOut(takeLine())
    }
    if let failure { throw failure }
  }

  /// Returns the next line. Lines are removed many at a time, so that the cost of a long script does not grow with its square.
  private func takeLine() -> ShellLine {
    let line = lines[next]
    next += 1
    if next == lines.count || next >= 1_024 {
      lines.removeSubrange(..<next)
      next = 0
    }
    return line
  }

  /// Begins to read lines from a pipe or file. Empty lines are counted, too.
  private func read() -> DescriptorReader {
    DescriptorReader(
      STDIN_FILENO,
      onOctets: { [weak self] octets in
        guard let self else { return }
        var rest = octets
        while let end = rest.firstIndex(of: 0x0A) {
          self.pending += rest[..<end]
          rest = rest[(end + 1)...]
          self.finishLine()
        }
        self.pending += rest
      },
      onEnd: { [weak self] in
        guard let self else { return }
        if !self.pending.isEmpty { self.finishLine() }
        self.end()
      })
  }

  private func finishLine() {
    if pending.last == 0x0D { pending.removeLast() }
    take(String(decoding: pending.prefix(LineReader.longestLine), as: UTF8.self))
    pending.removeAll(keepingCapacity: true)
  }

  /// Begins to read lines from the terminal.
  private func listen() async -> LineInput {
    await shell.lookAround()
    session.output.note("Connected to '\(shell.name)'. 'help' lists the commands, 'quit' ends.")
    let history = LineHistoryFile.standard("connect", environment: ProcessInfo.processInfo.environment)
    let input = LineInput(
      prompt: prompt, history: history, clearsOnInterrupt: true,
      completer: { [weak shell] text in
        MainActor.assumeIsolated { ShellCompletion.completion(of: text, shell?.vocabulary ?? ShellVocabulary()) }
      },
      onLine: { [weak self] in self?.take($0) }, onEnd: { [weak self] in self?.end() })
    shell.onChange = { [weak self, weak input] in
      guard let self, let input else { return }
      input.prompt = self.prompt
    }
    return input
  }

  private var prompt: String {
    "\(shell.name.truncated(toColumns: 24))\(shell.isConnected ? "" : " (not connected)")> "
  }

  private func take(_ text: String) {
    count += 1
    lines.append(ShellLine(text: text, number: count))
    session.waiting.changed()
  }

  private func end() {
    isAtEnd = true
    session.waiting.changed()
  }

  private func carryOut(_ line: ShellLine) async throws(ToolError) {
    do throws(ToolError) {
      switch try invocation(of: line) {
      case .run(let command as any ShellCommand, _): try await command.run(in: shell)
      case .help(let path): session.output.line(ShellHelp.text(path))
      case .run, .version, nil: break
      }
    } catch {
      if let interruption = session.waiting.interruption { throw interruption }
      let located = origin.map {
        ToolError(error.status, "\($0):\(line.number): \(error.message)", attributeError: error.attributeError)
      }
      // At a terminal the error is shown and the shell continues.
      guard let located else { return session.output.failure(error) }
      guard keepsGoing else { throw located }
      session.output.failure(located)
      failure = failure ?? ToolError(error.status, "Not all commands succeeded.")
    }
  }

  private func invocation(of line: ShellLine) throws(ToolError) -> CommandLineParser.Invocation? {
    do throws(UsageError) {
      return try line.invocation()
    } catch {
      let hint = origin == nil && !session.output.isJSON ? "\n" + ShellHelp.hint(after: error) : ""
      throw ToolError(.badData, error.message + hint)
    }
  }
}
