/// Completion in the shell.
enum ShellCompletion {
  static func completion(of text: String, _ vocabulary: ShellVocabulary) -> LineEditor.Completion {
    let line = ShellWords(text)
    let typed = line.unfinished.lowercased()
    let fitting = candidates(after: line.words, typed, vocabulary)
      .filter { $0.lowercased().hasPrefix(typed) }
      .map { ShellWords.quoted($0) + " " }
    return LineEditor.Completion(replacing: line.unfinishedLength, candidates: fitting)
  }

  private static func candidates(
    after words: [String], _ typed: String, _ vocabulary: ShellVocabulary
  ) -> [String] {
    guard let first = words.first else { return ShellTree.names }
    if first == "help" { return words.count == 1 ? ShellTree.parser.root.subcommands.map(\.name) : [] }
    guard let node = ShellTree.parser.root.subcommands.first(where: { $0.name == first }) else { return [] }
    // `--format hex` and `--format=hex`.
    let valued = node.options.filter { $0.placeholder != nil }
    if let option = valued.first(where: { $0.spelling == words.last }) { return values(of: option) }
    if let option = valued.first(where: { typed.hasPrefix($0.spelling + "=") }) {
      return values(of: option).map { "\(option.spelling)=\($0)" }
    }
    if typed.hasPrefix("-") { return node.options.map(\.spelling) }
    let place = placed(words.dropFirst(), valued).count
    guard place < node.arguments.count, node.arguments[place].name == "characteristic" else { return [] }
    if first == ShellUnsubscribe.node.name { return vocabulary.subscribed }
    return typed.contains("/") ? vocabulary.paths : vocabulary.characteristics
  }

  private static func values(of option: Option) -> [String] {
    CompletionScript.Values(placeholder: option.placeholder ?? "").words
  }

  /// The words that are neither options nor values of options.
  private static func placed(_ words: ArraySlice<String>, _ valued: [Option]) -> [String] {
    var placed: [String] = []
    var isValue = false
    for word in words {
      if !isValue, !word.hasPrefix("-") { placed.append(word) }
      isValue = valued.contains { $0.spelling == word }
    }
    return placed
  }
}
