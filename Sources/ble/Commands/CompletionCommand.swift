/// `ble completion`: a script for a shell, and what that script asks for.
struct CompletionCommand: ToolCommand {
  static let subject = Parameter<Subject>.argument(
    "shell", "bash, zsh or fish; 'values' is what their scripts ask for.")
  static let words = Parameter.arguments(
    "word", "For values: the words of the line behind 'ble', the one to complete last.", of: String.self)
  /// The option that Swift's command-line tools have for this.
  static let option = Option.value(
    "generate-completion-script", "shell", "Print a completion script: bash, zsh or fish.")

  static let node = CommandNode(
    "completion", abstract: "Print a script that completes command lines of 'ble'.",
    discussion: """
      For the shell that is open:

        eval "$(ble completion bash)"
        eval "$(ble completion zsh)"
        ble completion fish | source

      For all that follow, put that line into ~/.bashrc, into ~/.zshrc behind compinit, or into ~/.config/fish/config.fish. \
      'make install' puts the scripts where shells look for them.

      Devices are completed by the names that were heard before, by any command; nothing is searched for. After the file of \
      'ble command' its commands and their fields are completed, after that of 'ble history' its tables.
      """,
    subject, words
  ) { (subject, words) throws(UsageError) in
    if let shell = CompletionScript.Shell(rawValue: subject.rawValue) {
      if let first = words.first { throw UsageError("Unexpected argument '\(first.inert)'") }
      return CompletionCommand(shell: shell)
    }
    return CompletionCommand(action: .values(words))
  }

  /// What is printed.
  enum Subject: String, CaseIterable, ArgumentValue, Sendable {
    case bash, zsh, fish, values
  }

  private enum Action: Sendable {
    case script(CompletionScript.Shell)
    case values([String])
  }

  private let action: Action

  private init(action: Action) { self.action = action }

  init(shell: CompletionScript.Shell) { self.init(action: .script(shell)) }

  func run(in session: Session) async throws(ToolError) {
    switch action {
    case .script(let shell): session.output.raw(Array(CompletionScript(Tool.parser).text(for: shell).utf8))
    case .values(let words):
      let values = CompletionValues(parser: Tool.parser) { HeardTargets.remembered().targets(typed: $0) }
      for candidate in values.candidates(for: words) { session.output.collect(candidate) }
    }
  }
}
