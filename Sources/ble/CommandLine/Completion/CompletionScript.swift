import BLEProfileFiles

/// What a shell has to know to complete command lines of the tool: made from the tree of commands, so that nothing is forgotten.
struct CompletionScript {
  enum Shell: String, CaseIterable, ArgumentValue, Sendable {
    case bash, zsh, fish
  }

  /// What may stand in the place of a value.
  enum Values: Equatable {
    case nothing
    case files
    case words([String])
    case wordsAndFiles([String])

    /// By the word that stands for the value in the help.
    init(placeholder: String) {
      switch placeholder {
      case "file", "copy", "path", "folder", "script", "database": self = .files
      case "format": self = .words(ValueFormat.names)
      case "shell": self = .words(Shell.allCases.map(\.rawValue))
      case "profile": self = .wordsAndFiles(Profile.builtIn.map(\.name))
      default: self = .nothing
      }
    }

    var words: [String] {
      switch self {
      case .words(let words), .wordsAndFiles(let words): words
      case .nothing, .files: []
      }
    }

    var includesFiles: Bool {
      switch self {
      case .files, .wordsAndFiles: true
      case .nothing, .words: false
      }
    }
  }

  /// One command with everything that can follow its name.
  struct Entry {
    /// The words that lead to it, the tool's name first.
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

  /// The first line of each script, behind what its shell wants there.
  func heading(_ shell: Shell) -> String {
    "# Completion of '\(name)' in \(shell.rawValue), made by '\(name) completion \(shell.rawValue)'."
  }

  /// In single quotes, as all three shells understand it.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}
