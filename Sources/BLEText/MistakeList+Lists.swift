extension MistakeList {
  /// The elements of a list, if all of them are valid; records a mistake for each that is not.
  package func list<Element>(
    _ json: PositionedJSON, _ what: String, _ counts: ClosedRange<Int>,
    of read: (PositionedJSON) throws(PositionedError) -> Element?
  ) -> [Element]? {
    let entries = attempt { () throws(PositionedError) in
      try json.list(what, counts) { (entry) throws(PositionedError) in entry }
    }
    guard let entries else { return nil }
    var elements: [Element] = []
    for entry in entries {
      let element = attempt { () throws(PositionedError) in try read(entry) }
      if let element = element ?? nil { elements.append(element) }
    }
    return elements.count == entries.count ? elements : nil
  }

  /// A list of words of a set, each at most once, if all of them are valid; records a mistake for each that is not.
  package func words<Word: RawRepresentable & CaseIterable & Hashable>(
    _ json: PositionedJSON, _ what: String, atLeast least: Int
  ) -> Set<Word>? where Word.RawValue == String {
    var found: Set<Word> = []
    let all = list(json, "a list of words", least...Word.allCases.count) { (entry) throws(PositionedError) -> Word? in
      let word: Word = try entry.word(what)
      guard found.insert(word).inserted else { throw PositionedError(entry.position, "this appears twice") }
      return word
    }
    return all.map { _ in found }
  }
}
