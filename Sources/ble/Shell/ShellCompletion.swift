/// Completion in the shell.
enum ShellCompletion {
  /// - Parameter characteristics: those of the device, by UUID and name.
  static func completion(of text: String, characteristics: [String]) -> LineEditor.Completion {
    let line = ShellWords(text)
    let typed = line.unfinished.lowercased()
    let fitting = candidates(after: line.words, typed, characteristics)
      .filter { $0.lowercased().hasPrefix(typed) }
      .map { ShellWords.quoted($0) + " " }
    return LineEditor.Completion(replacing: line.unfinishedLength, candidates: fitting)
  }

  private static func candidates(after words: [String], _ typed: String, _ characteristics: [String]) -> [String] {
    guard let first = words.first else { return ShellTree.names }
    if first == "help" { return words.count == 1 ? ShellTree.parser.root.subcommands.map(\.name) : [] }
    guard let node = ShellTree.parser.root.subcommands.first(where: { $0.name == first }) else { return [] }
    if let last = words.last, let option = node.options.first(where: { $0.spelling == last }),
      let name = option.placeholder
    {
      return CompletionScript.Values(placeholder: name).words
    }
    if typed.hasPrefix("-") { return node.options.map(\.spelling) }
    let place = words.dropFirst().filter { !$0.hasPrefix("-") }.count
    guard place < node.arguments.count, node.arguments[place].name == "characteristic" else { return [] }
    return characteristics
  }
}
