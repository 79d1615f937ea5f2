/// One command of the tree: its arguments, its help and how it is created.
struct CommandNode: Sendable {
  let name: String
  /// One line.
  let abstract: String
  /// Paragraphs for its own help page.
  let discussion: String
  let arguments: [Argument]
  let options: [Option]
  let subcommands: [CommandNode]
  /// Creates the command from parsed arguments, or throws what is wrong with them; `nil` for a command that only has subcommands.
  let make: (@Sendable (ParsedArguments) throws(UsageError) -> any ToolCommand)?

  /// A command that is made from the values of its parameters.
  init<each Value: Sendable>(
    _ name: String, abstract: String, discussion: String = "", subcommands: [CommandNode] = [],
    _ parameters: repeat Parameter<each Value>,
    make: @escaping @Sendable (repeat each Value) throws(UsageError) -> any ToolCommand
  ) {
    var (arguments, options): ([Argument], [Option]) = ([], [])
    for parameter in repeat each parameters {
      if let argument = parameter.argument { arguments.append(argument) }
      if let option = parameter.option { options.append(option) }
    }
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = arguments
    self.options = options
    self.subcommands = subcommands
    self.make = { (parsed) throws(UsageError) in try make(repeat try (each parameters).read(parsed)) }
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

/// A command with its arguments, ready to run.
protocol ToolCommand: Sendable {
  /// Called before anything accesses an adapter.
  @MainActor func prepare(in session: Session) throws(ToolError)
  @MainActor func run(in session: Session) async throws(ToolError)
}

extension ToolCommand {
  @MainActor func prepare(in session: Session) throws(ToolError) {}
}

/// An invalid command line: exit status 64.
struct UsageError: Error, Equatable, Sendable {
  let message: String
  /// The recognised commands, beginning with the tool's name.
  var path: [String] = []

  init(_ message: String) { self.message = message }
}
