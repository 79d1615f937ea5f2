extension PositionedJSON {
  /// An error: another value was expected.
  package func expected(_ what: String) -> PositionedError {
    PositionedError(position, "expected \(what), found \(kind)")
  }

  /// A string of at most `longest` octets of UTF-8.
  package func text(longest: Int, _ what: String) throws(PositionedError) -> String {
    guard case .string(let text) = content else { throw expected("a string") }
    guard text.utf8.count <= longest else {
      throw PositionedError(position, "\(what) has at most \(longest) octets, not \(text.utf8.count)")
    }
    return text
  }

  /// `true` or `false`.
  package func boolean() throws(PositionedError) -> Bool {
    guard case .bool(let value) = content else { throw expected("true or false") }
    return value
  }

  /// An interval in seconds, from 0.01 to 86,400.
  package func seconds() throws(PositionedError) -> Double {
    guard case .number(let value) = content else { throw expected("a number of seconds") }
    guard (0.01...86_400).contains(value) else {
      throw PositionedError(position, "expected 0.01 to 86400 seconds")
    }
    return value
  }

  /// The elements of a list, each read by `read`.
  package func list<Element>(
    _ what: String, _ counts: ClosedRange<Int>, of read: (PositionedJSON) throws(PositionedError) -> Element
  ) throws(PositionedError) -> [Element] {
    guard case .array(let entries) = content else { throw expected(what) }
    guard counts.contains(entries.count) else {
      throw PositionedError(
        position, "expected \(what) with \(counts.lowerBound) to \(counts.upperBound) entries, found \(entries.count)")
    }
    var result: [Element] = []
    for entry in entries { result.append(try read(entry)) }
    return result
  }

  /// One of a set of words.
  package func word<Word: RawRepresentable & CaseIterable>(_ what: String) throws(PositionedError) -> Word
  where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue)
    guard case .string(let text) = content else { throw expected("\(what): \(words.joined(separator: ", "))") }
    guard let word = Word(rawValue: text) else {
      let suggestion = Suggestion.sentence(for: text, among: words)
      let choices = words.joined(separator: ", ")
      throw PositionedError(position, "'\(text.inert)' is not \(what): expected \(choices)\(suggestion)")
    }
    return word
  }
}
