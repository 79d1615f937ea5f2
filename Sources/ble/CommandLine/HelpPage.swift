/// The help of one command, in the layout of Swift's command-line tools.
struct HelpPage {
  private let parser: CommandLineParser
  private let path: [CommandNode]
  private static let width = 80
  private static let column = 26

  /// - Parameter path: the path of the command, beginning with the tool itself.
  init(of path: [CommandNode], parser: CommandLineParser) {
    self.path = path
    self.parser = parser
  }

  private var node: CommandNode { path.last ?? parser.root }
  private var isRoot: Bool { path.count == 1 }
  private var commands: String { path.map(\.name).joined(separator: " ") }

  var text: String {
    var sections = [Self.wrap("OVERVIEW: \(node.abstract)", indent: 0)]
    if !node.discussion.isEmpty {
      sections += node.discussion.split(separator: "\n\n").map(Self.paragraph)
    }
    sections.append(Self.wrap("USAGE: \(usage)", indent: 2, first: 0))
    sections += [
      Self.list("ARGUMENTS", node.arguments.map { ($0.label, $0.help) }),
      Self.list("OPTIONS", parser.ownOptions(of: path).map(Self.entry)),
      Self.list("OPTIONS OF ALL COMMANDS", isRoot || node.make != nil ? parser.commonOptions.map(Self.entry) : []),
      Self.list("SUBCOMMANDS", node.subcommands.map { ($0.name, $0.abstract) }),
    ]
    if parser.isProgram, isRoot || node.make != nil {
      sections.append(Self.list("EXIT STATUS", ExitStatus.allCases.map { (String($0.rawValue), $0.meaning) }))
    }
    if !node.subcommands.isEmpty {
      let words = (["help"] + path.dropFirst().map(\.name) + ["<subcommand>"]).joined(separator: " ")
      sections.append("  See '\(parser.root.name) \(words)' for detailed help.")
    }
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  var usage: String {
    var parts = [commands]
    if node.subcommands.isEmpty {
      parts += node.options.map(\.usage) + ["[<options>]"] + node.arguments.map(\.usage)
    } else {
      parts += node.make == nil ? ["<subcommand>"] : ["[<options>]", "[<subcommand>]"]
    }
    return parts.joined(separator: " ")
  }

  /// The line that follows an error.
  var hint: String { "  See '\(commands) --help' for more information." }

  private static func entry(_ option: Option) -> (String, String) {
    (option.label, option.help + (option.standard.map { " (default: \($0))" } ?? ""))
  }

  private static func list(_ title: String, _ entries: [(label: String, help: String)]) -> String {
    guard !entries.isEmpty else { return "" }
    return ([title + ":"] + entries.map(row)).joined(separator: "\n")
  }

  private static func row(_ label: String, _ help: String) -> String {
    let head = "  " + label
    let body = wrap(help, indent: column, first: column)
    guard head.count < column else { return head + "\n" + body }
    return head + String(repeating: " ", count: column - head.count) + body.dropFirst(column)
  }

  /// Fills a paragraph; one that begins with blanks is an example and is kept as it is.
  private static func paragraph(_ text: Substring) -> String {
    text.hasPrefix("  ") ? String(text) : wrap(String(text), indent: 0)
  }

  private static func wrap(_ text: String, indent: Int, first: Int? = nil) -> String {
    var lines: [String] = []
    var line = String(repeating: " ", count: first ?? indent)
    var isFresh = true
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      if !isFresh, line.count + 1 + word.count > width {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isFresh = true
      }
      line += isFresh ? String(word) : " " + word
      isFresh = false
    }
    return (lines + [line]).joined(separator: "\n")
  }
}
