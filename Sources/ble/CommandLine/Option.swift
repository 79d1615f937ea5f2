/// An option of a command: `--name`, with or without a value.
///
/// It holds everything that the parser, help pages, completion scripts and the manual page need.
struct Option: Sendable {
  enum Kind: Equatable, Sendable {
    /// Present or absent.
    case flag
    /// Counts its occurrences: `-v`, `-vv`.
    case counter
    /// Takes one value; the last one is used. The text is the placeholder in the help.
    case value(String)
    /// Takes a value each time it occurs.
    case values(String)
  }

  /// Without the dashes.
  let name: String
  /// The letter after a single dash.
  var letter: Character?
  let kind: Kind
  let help: String
  /// The default value.
  var standard: String?

  static func flag(_ name: String, letter: Character? = nil, _ help: String) -> Option {
    Option(name: name, letter: letter, kind: .flag, help: help)
  }

  static func counter(_ name: String, letter: Character? = nil, _ help: String) -> Option {
    Option(name: name, letter: letter, kind: .counter, help: help)
  }

  static func value(
    _ name: String, letter: Character? = nil, _ placeholder: String, standard: String? = nil, _ help: String
  ) -> Option {
    Option(name: name, letter: letter, kind: .value(placeholder), help: help, standard: standard)
  }

  static func values(_ name: String, _ placeholder: String, _ help: String) -> Option {
    Option(name: name, kind: .values(placeholder), help: help)
  }

  var spelling: String { "--\(name)" }

  /// The placeholder of its value in the help; `nil` if it takes none.
  var placeholder: String? {
    switch kind {
    case .flag, .counter: nil
    case .value(let text), .values(let text): text
    }
  }

  /// As in a usage line: `[--service <uuid> ...]`.
  var usage: String {
    switch kind {
    case .flag, .counter: "[\(spelling)]"
    case .value(let placeholder): "[\(spelling) <\(placeholder)>]"
    case .values(let placeholder): "[\(spelling) <\(placeholder)> ...]"
    }
  }

  /// As in the list of options: `-v, --verbose`.
  var label: String {
    let long = placeholder.map { "\(spelling) <\($0)>" } ?? spelling
    return letter.map { "-\($0), \(long)" } ?? long
  }
}

/// A positional argument of a command.
struct Argument: Sendable {
  let name: String
  let help: String
  let isOptional: Bool
  /// Whether it takes all words that the other arguments leave; at most one argument of a command does.
  let isRepeated: Bool
  /// What helps a user who has not given it.
  let hint: String?

  init(_ name: String, isOptional: Bool = false, isRepeated: Bool = false, _ help: String, hint: String? = nil) {
    self.hint = hint
    self.name = name
    self.help = help
    self.isOptional = isOptional
    self.isRepeated = isRepeated
  }

  var label: String { "<\(name)>" }
  /// As in a usage line.
  var usage: String {
    let text = isRepeated ? "\(label) ..." : label
    return isOptional ? "[\(text)]" : text
  }
}
