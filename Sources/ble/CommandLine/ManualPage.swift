/// The tool's manual page for `man`, generated from the tree of commands.
struct ManualPage {
  private let parser: CommandLineParser

  init(_ parser: CommandLineParser) { self.parser = parser }

  private var root: CommandNode { parser.root }

  /// The page as groff source (groff_man(7)).
  var text: String {
    var lines = [
      ".\\\" Made by '\(root.name) man' from its commands.",
      ".TH \(root.name.uppercased()) 1 \"\" \"\(root.name) \(Tool.version)\" \"User Commands\"",
      ".SH NAME", "\(root.name) \\- \(Self.text(Self.sentence(root.abstract)))",
      ".SH SYNOPSIS", ".B \(root.name)", ".I command", "[\\fIoptions\\fR]",
      ".SH DESCRIPTION",
    ]
    lines += Self.paragraphs(root.discussion)
    lines += [".SH COMMANDS"] + root.subcommands.flatMap { command([root, $0]) }
    lines += [".SH OPTIONS OF ALL COMMANDS"] + parser.commonOptions.flatMap(Self.option)
    lines += [".SH EXIT STATUS"] + ExitStatus.allCases.flatMap { [".TP", ".B \($0.rawValue)", Self.text($0.meaning)] }
    lines += [".SH ENVIRONMENT"]
    lines += EnvironmentVariable.all.flatMap { [".TP", ".B \($0.name)", Self.text($0.meaning)] }
    lines += [
      ".SH FILES", ".TP", ".I $XDG_CONFIG_HOME/swift\\-corebluetooth/config.json",
      Self.text("The configuration: {\"adapter\": \"...\"} names the adapter for all programs that use this library."),
      ".TP", ".I $XDG_STATE_HOME/swift\\-corebluetooth/",
      Self.text("What outlives programs: identities of devices, bonds, histories. Only its owner may read it."),
      ".TP", ".I $XDG_RUNTIME_DIR/swift\\-corebluetooth/",
      Self.text("Where programs that are on one air of the embedded radio meet."),
    ]
    return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private func command(_ path: [CommandNode]) -> [String] {
    guard let node = path.last else { return [] }
    if !node.subcommands.isEmpty {
      let own = [".SS \(Self.text(Self.title(path)))", Self.text(node.abstract)] + Self.paragraphs(node.discussion)
      return own + node.subcommands.flatMap { command(path + [$0]) }
    }
    let words = path.map(\.name).joined(separator: " ")
    let arguments = node.arguments.map { Self.text($0.usage) }.joined(separator: " ")
    var lines = [".SS \(Self.text(Self.title(path)))", Self.text(node.abstract), ".PP"]
    lines.append(".B \(Self.text(words))")
    lines.append("[\\fIoptions\\fR] \(arguments)")
    lines += Self.paragraphs(node.discussion)
    lines += node.arguments.flatMap { [".TP", ".I \(Self.text($0.label))", Self.text($0.help)] }
    return lines + node.options.flatMap(Self.option)
  }

  private static func title(_ path: [CommandNode]) -> String { path.dropFirst().map(\.name).joined(separator: " ") }

  private static func option(_ option: Option) -> [String] {
    let standard = option.standard.map { " (default: \($0))" } ?? ""
    return [".TP", ".B \(text(option.label))", text(option.help + standard)]
  }

  /// Paragraphs are filled; one that begins with blanks is an example.
  private static func paragraphs(_ discussion: String) -> [String] {
    discussion.split(separator: "\n\n").flatMap { paragraph in
      if !paragraph.hasPrefix("  ") { return [".PP", text(String(paragraph).replacing("\n", with: " "))] }
      let lines = paragraph.split(separator: "\n").map { text(String($0.drop { $0 == " " })) }
      return [".PP", ".RS 4", ".EX"] + lines + [".EE", ".RE"]
    }
  }

  /// Removes the full stop, as is usual for the NAME section.
  private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

  /// Escapes everything that has a meaning for groff.
  private static func text(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case _ where scalar.value > 0x7E: result += "\\[u\(Self.digits(scalar.value))]"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }

  private static func digits(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
