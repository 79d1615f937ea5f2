/// A line of commands, with its number.
struct ShellLine: Sendable {
  let text: String
  /// Counted from 1.
  let number: Int
  /// What the line asks for, where that was read before it is carried out.
  private(set) var read: CommandLineParser.Invocation??

  /// Reads what the line asks for; later calls of `invocation()` give the same.
  mutating func readAhead() throws(UsageError) { read = .some(try invocation()) }
}

/// A script of commands from a file.
struct ShellScript: Sendable {
  let path: String
  let lines: [ShellLine]

  /// The longest script, in octets.
  private static let longest = 1 << 20

  /// Reads a file and checks the syntax of every line.
  init(path: String) throws(ToolError) {
    let octets = try InputFile.read(path, "a script", limit: Self.longest)
    try self.init(String(decoding: octets, as: UTF8.self), path: path)
  }

  init(_ text: String, path: String) throws(ToolError) {
    self.path = path
    var lines: [ShellLine] = []
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      var line = ShellLine(text: String(line), number: number)
      do throws(UsageError) {
        try line.readAhead()
        lines.append(line)
      } catch {
        throw ToolError(.badData, "\(path.inert):\(number): \(error.message)")
      }
    }
    self.lines = lines
  }
}

extension ShellLine {
  /// The command of the line; `nil` if it is empty.
  func invocation() throws(UsageError) -> CommandLineParser.Invocation? {
    if let read { return read }
    let words = try ShellWords.split(text)
    return words.isEmpty ? nil : try ShellTree.parser.parse(words)
  }
}
