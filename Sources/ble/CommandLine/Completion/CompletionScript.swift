import BLEProfileFiles

/// The information that a shell needs to complete command lines of the tool. It is derived from the tree of commands, so it is complete.
struct CompletionScript {
  enum Shell: String, CaseIterable, ArgumentValue, Sendable {
    case bash, zsh, fish
  }

  /// The possible values of an option or argument.
  struct Values {
    var words: [String] = []
    var includesFiles = false
    /// The tool is asked for them while a line is typed (`CompletionValues`).
    var areAsked = false
    var isEmpty: Bool { words.isEmpty && !includesFiles && !areAsked }
  }

  /// One command with all its options.
  struct Entry {
    /// The words of the command, beginning with the tool's name.
    let path: [String]
    let node: CommandNode
    let options: [Option]

    var words: String { path.joined(separator: " ") }
  }

  let name: String
  let entries: [Entry]

  init(_ parser: CommandLineParser) {
    name = parser.root.name
    var entries: [Entry] = []
    func walk(_ path: [CommandNode]) {
      guard let node = path.last else { return }
      let common = node.make == nil ? [] : parser.commonOptions
      entries.append(Entry(path: path.map(\.name), node: node, options: parser.ownOptions(of: path) + common))
      for child in node.subcommands { walk(path + [child]) }
    }
    walk([parser.root])
    self.entries = entries
  }

  func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The first comment of each script.
  func heading(_ shell: Shell) -> String {
    "# Completion of '\(name)' in \(shell.rawValue), made by '\(name) completion \(shell.rawValue)'."
  }

  /// Quotes a text in a way that all three shells understand.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}

extension CompletionScript.Values {
  /// By the placeholder in the help.
  init(placeholder: String) {
    switch placeholder {
    case "file", "copy", "path", "folder", "script", "database": includesFiles = true
    case "target", "device", "command", "field=value": areAsked = true
    // Also asked for, since the words of all places are offered at each in bash.
    case "what": (words, areAsked) = (HistoryCommand.Subject.allCases.map(\.rawValue), true)
    case "format": words = ValueFormat.names
    case "shell": words = CompletionScript.Shell.allCases.map(\.rawValue)
    case "profile": (words, includesFiles) = (Profile.builtIn.map(\.name), true)
    default: break
    }
  }
}
