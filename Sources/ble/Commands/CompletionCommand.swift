/// `ble completion`: a script for a shell.
struct CompletionCommand: ToolCommand {
  static let shell = Parameter<CompletionScript.Shell>.argument("shell", "bash, zsh or fish.")
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

      For all that follow, put that line into ~/.bashrc, into ~/.zshrc behind compinit, or into ~/.config/fish/config.fish.
      """,
    shell, make: Self.init)

  let shell: CompletionScript.Shell

  func run(in session: Session) async throws(ToolError) {
    session.output.raw(Array(CompletionScript(Tool.parser).text(for: shell).utf8))
  }
}
