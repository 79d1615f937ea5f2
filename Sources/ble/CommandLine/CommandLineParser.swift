import BLESession

/// Parses a command line by a tree of commands.
struct CommandLineParser: Sendable {
  /// The result of parsing.
  enum Invocation: Sendable {
    /// The help page of the last command of the path.
    case help([CommandNode])
    case version
    case run(any ToolCommand, ParsedArguments)
  }

  let root: CommandNode
  /// Understood by every command.
  let commonOptions: [Option]
  /// Additional options of the root command.
  let rootOptions: [Option]
  /// Words of other programs for commands of this one, which is suggested in their place.
  let otherNames: [String: String]

  init(
    root: CommandNode, commonOptions: [Option], rootOptions: [Option] = [versionOption, CompletionCommand.option],
    otherNames: [String: String] = [:]
  ) {
    self.otherNames = otherNames
    self.root = root
    self.commonOptions = commonOptions
    self.rootOptions = rootOptions
  }

  /// Whether this parses the command lines of a program, which ends with an exit status, and not those of the shell.
  var isProgram: Bool { !rootOptions.isEmpty }

  static let helpOption = Option.flag("help", letter: "h", "Show help information.")
  static let versionOption = Option.flag("version", "Show the version.")

  /// The options of a command as its help lists them, those of all commands left out.
  func ownOptions(of path: [CommandNode]) -> [Option] {
    (path.last?.options ?? []) + (path.count == 1 ? rootOptions : []) + [Self.helpOption]
  }

  func parse(_ words: [String]) throws(UsageError) -> Invocation {
    var reading = Reading(parser: self, words: words)
    do {
      return try reading.run()
    } catch {
      var located = error
      located.path = reading.path.map(\.name)
      throw located
    }
  }
}

/// The state of parsing one command line.
private struct Reading {
  let parser: CommandLineParser
  var words: ArraySlice<String>
  var path: [CommandNode]
  var parsed = ParsedArguments()
  var positional: [String] = []
  var optionsHaveEnded = false

  init(parser: CommandLineParser, words: [String]) {
    self.parser = parser
    self.words = words[...]
    self.path = [parser.root]
  }

  private var node: CommandNode { path.last ?? parser.root }

  mutating func run() throws(UsageError) -> CommandLineParser.Invocation {
    while let word = words.popFirst() {
      if optionsHaveEnded || !Self.isOption(word) {
        if node.subcommands.isEmpty {
          positional.append(word)
        } else if word == "help" {
          return try helpPage()
        } else {
          path.append(try subcommand(named: word))
        }
      } else if word == "--" {
        optionsHaveEnded = true
      } else if let answer = try option(word) {
        return answer
      }
    }
    return try finish()
  }

  /// A single dash is the standard input, and a dash before a digit is a sign: no option's letter is a digit.
  private static func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), let next = word.dropFirst().first else { return false }
    return !("0"..."9").contains(next) && next != "."
  }

  private func subcommand(named word: String) throws(UsageError) -> CommandNode {
    if let found = node.subcommands.first(where: { $0.name == word }) { return found }
    let suggestion = Suggestion.sentence(
      for: parser.otherNames[word] ?? word, among: node.subcommands.map(\.name) + ["help"])
    throw UsageError("Unknown command '\(word.inert)'\(suggestion)")
  }

  /// `help scan`: the rest of the words name a command.
  private mutating func helpPage() throws(UsageError) -> CommandLineParser.Invocation {
    while let word = words.popFirst() {
      if word.hasPrefix("-") { continue }
      path.append(try subcommand(named: word))
    }
    return .help(path)
  }

  /// Parses one word that begins with a dash; returns an invocation if the option is a command of its own, such as `--help`.
  private mutating func option(_ word: String) throws(UsageError) -> CommandLineParser.Invocation? {
    if !word.hasPrefix("--") { return try letters(word) }
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    let known = parser.ownOptions(of: path) + parser.commonOptions
    guard let option = known.first(where: { $0.name == name }) else {
      let suggestion = Suggestion.sentence(for: "--\(name)", among: known.map(\.spelling))
      throw UsageError("Unknown option '--\(name.inert)'\(suggestion)")
    }
    guard option.placeholder != nil else {
      if parts.count == 2 { throw UsageError("The option '\(option.spelling)' takes no value") }
      return take(flag: option)
    }
    if parts.count == 2 {
      parsed.add(String(parts[1]), to: option)
    } else {
      try takeValue(of: option)
    }
    return nil
  }

  /// The next word is the option's value.
  private mutating func takeValue(of option: Option) throws(UsageError) {
    guard let value = words.first, !Self.isOption(value) else {
      throw UsageError("Missing value for '\(option.label)'")
    }
    words.removeFirst()
    parsed.add(value, to: option)
  }

  /// `-vv`: letters that each are an option without a value; `-o file`: a single one with a value.
  private mutating func letters(_ word: String) throws(UsageError) -> CommandLineParser.Invocation? {
    let known = parser.ownOptions(of: path) + parser.commonOptions
    if word.count == 2, let option = known.first(where: { $0.letter == word.last && $0.placeholder != nil }) {
      try takeValue(of: option)
      return nil
    }
    for letter in word.dropFirst() {
      guard let option = known.first(where: { $0.letter == letter && $0.placeholder == nil }) else {
        let suggestion = Suggestion.sentence(for: "-" + word, among: known.map(\.spelling))
        throw UsageError("Unknown option '\(word.inert)'\(suggestion)")
      }
      if let answer = take(flag: option) { return answer }
    }
    return nil
  }

  private mutating func take(flag option: Option) -> CommandLineParser.Invocation? {
    switch option.name {
    case CommandLineParser.helpOption.name: return .help(path)
    case CommandLineParser.versionOption.name: return .version
    default:
      parsed.count(option)
      return nil
    }
  }

  private mutating func finish() throws(UsageError) -> CommandLineParser.Invocation {
    guard let make = node.make else {
      if path.count == 1, let shell: CompletionScript.Shell = try parsed.value(of: CompletionCommand.option) {
        return .run(CompletionCommand(shell: shell), parsed)
      }
      if path.count == 1, parsed.isEmpty { return .help(path) }
      throw UsageError("Missing a command: one of \(node.subcommands.map(\.name).joined(separator: ", "))")
    }
    try placeWords()
    return .run(try make(parsed), parsed)
  }

  /// Assigns the words to the arguments. Those behind a repeated argument get the last words.
  private mutating func placeWords() throws(UsageError) {
    let arguments = node.arguments
    let place = arguments.firstIndex(where: \.isRepeated)
    let behind = place.map { arguments.count - $0 - 1 } ?? 0
    let (head, tail) = (positional.dropLast(behind), positional.suffix(behind))
    for (index, argument) in arguments.enumerated() {
      let word: String?
      if let place, index == place {
        parsed.rest = Array(head.dropFirst(place))
        word = parsed.rest.first
      } else if let place, index > place {
        word = tail.dropFirst(index - place - 1).first
        if let word { parsed.set(argument, to: word) }
      } else {
        word = index < head.count ? head[index] : nil
        if let word { parsed.set(argument, to: word) }
      }
      if word == nil, !argument.isOptional {
        let hint = argument.hint.map { ": \($0)" } ?? ""
        throw UsageError("Missing expected argument '\(argument.label)'\(hint)")
      }
    }
    if place == nil, positional.count > arguments.count {
      throw UsageError("Unexpected argument '\(positional[arguments.count].inert)'")
    }
  }
}
