/// Splits a line of the shell into words: blanks separate words, quotes and backslashes keep them together, `#` begins a comment.
struct ShellWords: Equatable {
  private(set) var words: [String] = []
  /// The last word, which is being typed; empty if the line ends with a blank.
  private(set) var unfinished = ""
  /// The number of characters of the unfinished word, including quotes.
  private(set) var unfinishedLength = 0
  /// A quote that is not closed.
  private(set) var openQuote: Character?

  init(_ line: String) {
    var word: String?
    var start = 0
    var isEscaped = false
    let characters = Array(line)
    for (index, character) in characters.enumerated() {
      if word == nil { start = index }
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if let quote = openQuote {
        // In double quotes, a backslash escapes quotes and itself only.
        if character == "\\", quote == "\"", index + 1 < characters.count, "\"\\".contains(characters[index + 1]) {
          isEscaped = true
        } else if character == quote {
          openQuote = nil
        } else {
          word = (word ?? "") + String(character)
        }
      } else {
        switch character {
        case "\\":
          isEscaped = true
          word = word ?? ""
        case "\"", "'":
          openQuote = character
          word = word ?? ""
        case " ", "\t":
          if let word { words.append(word) }
          word = nil
        case "#" where word == nil: return
        default: word = (word ?? "") + String(character)
        }
      }
    }
    if let word {
      unfinished = word
      unfinishedLength = characters.count - start
    }
  }

  /// All words of the line.
  /// - Throws: where a quote is not closed.
  static func split(_ line: String) throws(UsageError) -> [String] {
    let parts = ShellWords(line)
    if let quote = parts.openQuote { throw UsageError("The quote \(quote) is not closed") }
    return parts.words + (parts.unfinishedLength > 0 ? [parts.unfinished] : [])
  }

  /// A word with the quotes that it needs.
  static func quoted(_ word: String) -> String {
    guard word.contains(where: { " \t\"'\\#".contains($0) }) || word.isEmpty else { return word }
    return "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
