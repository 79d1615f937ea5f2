import Foundation

/// A line of commands, with its number.
struct ShellLine: Equatable, Sendable {
  let text: String
  /// Counted from 1.
  let number: Int
  /// What the line asks for, where that was read before it is carried out.
  private(set) var read: CommandLineParser.Invocation??

  init(text: String, number: Int) {
    self.text = text
    self.number = number
  }

  /// Reads what the line asks for; later calls of `invocation()` give the same.
  mutating func readAhead() throws(UsageError) { read = .some(try invocation()) }

  static func == (left: ShellLine, right: ShellLine) -> Bool { left.text == right.text && left.number == right.number }
}

/// A script of commands from a file.
struct ShellScript: Equatable, Sendable {
  let path: String
  let lines: [ShellLine]

  /// The longest script, in octets.
  private static let longest = 1 << 20

  /// Reads a file and checks the syntax of every line.
  init(path: String) throws(ToolError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ToolError(.noInput, "\(path.inert): cannot be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while octets.count <= Self.longest {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 {
        throw ToolError(.noInput, "\(path.inert): cannot be read: \(String(cString: strerror(errno)))")
      }
      if count == 0 { break }
      octets += buffer.prefix(count)
    }
    guard octets.count <= Self.longest else {
      throw ToolError(.badData, "\(path.inert): a script has at most \(Self.longest) octets")
    }
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
