/// The help of the shell.
enum ShellHelp {
  /// - Parameter path: the root and the command to explain; only the root for all commands.
  static func text(_ path: [CommandNode]) -> String {
    guard path.count > 1 else {
      let usages = path.first?.subcommands.map { ($0, usage($0)) } ?? []
      let width = usages.map(\.1.count).max() ?? 0
      let lines = usages.map { node, usage in "  \(usage.padded(to: width))  \(node.abstract)" }
      let more = [
        "  \("help [<command>]".padded(to: width))  Explain a command.", "",
        "Words with blanks go in quotes; # begins a comment. Tab completes, the arrows bring back earlier lines.",
      ]
      return (lines + more).joined(separator: "\n")
    }
    return HelpPage(of: Array(path.dropFirst()), parser: ShellTree.parser).text
  }

  /// The lines that follow the message of an invalid line.
  static func hint(after error: UsageError) -> String {
    guard let name = error.path.dropFirst().first,
      let node = ShellTree.parser.root.subcommands.first(where: { $0.name == name })
    else { return "  'help' lists the commands." }
    return "Usage: \(HelpPage(of: [node], parser: ShellTree.parser).usage)\n  See 'help \(name)' for more information."
  }

  private static func usage(_ node: CommandNode) -> String {
    ([node.name] + node.arguments.map(\.usage)).joined(separator: " ")
  }
}
