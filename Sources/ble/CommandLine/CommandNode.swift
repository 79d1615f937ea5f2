/// One command of the tree: what it takes, what it is for, and how it comes to life.
struct CommandNode: Sendable {
  let name: String
  /// One line.
  let abstract: String
  /// Paragraphs for its own help page.
  let discussion: String
  let arguments: [Argument]
  let options: [Option]
  let subcommands: [CommandNode]
  /// Makes the command from what was given, or says what is wrong with it; `nil` where only subcommands do something.
  let make: (@Sendable (ParsedArguments) throws(UsageError) -> any ToolCommand)?

  init(
    _ name: String, abstract: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
    subcommands: [CommandNode] = [],
    make: @escaping @Sendable (ParsedArguments) throws(UsageError) -> any ToolCommand
  ) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = arguments
    self.options = options
    self.subcommands = subcommands
    self.make = make
  }

  init(group name: String, abstract: String, discussion: String = "", subcommands: [CommandNode]) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = []
    self.options = []
    self.subcommands = subcommands
    self.make = nil
  }
}

/// A command with everything it was told, ready to run.
protocol ToolCommand: Sendable {
  /// Puts in place what has to be there before anything asks for an adapter.
  @MainActor func prepare(in session: Session) throws(ToolError)
  @MainActor func run(in session: Session) async throws(ToolError)
}

extension ToolCommand {
  @MainActor func prepare(in session: Session) throws(ToolError) {}
}

/// A command line that cannot be understood: exit status 64.
struct UsageError: Error, Equatable, Sendable {
  let message: String
  /// The commands that were recognised, the tool's own name first.
  var path: [String] = []

  init(_ message: String) { self.message = message }
}
