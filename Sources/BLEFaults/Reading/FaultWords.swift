import BLEText

/// The short form of a fault, for a command line: the members of its JSON one after another, `read 2A37 nth 2 error 0x0E`.
///
/// A member with a value is followed by it; `every` and actions without a value stand alone; `flip` has two values, the octet and the mask.
/// A value with blanks is put into double quotes.
enum FaultWords {
  fileprivate struct Word {
    let text: String
    let position: TextPosition
  }

  fileprivate static let occurrences = ["nth", "starting_with", "first", "every", "chance", "from"]
  private static let mostWords = 32

  /// The same as an object of JSON.
  static func read(_ text: String) throws(PositionedError) -> PositionedJSON {
    let words = try split(text)
    guard words.count <= mostWords else {
      throw PositionedError(TextPosition(), "a fault has at most \(mostWords) words")
    }
    var when: [PositionedJSON.Member] = []
    var what: [PositionedJSON.Member] = []
    var plain: PositionedJSON?
    var rest = words[...]
    while let word = rest.popFirst() {
      func next() throws(PositionedError) -> Word {
        guard let next = rest.popFirst() else { throw PositionedError(word.position, "'\(word.text)' needs a value") }
        return next
      }
      func member(_ content: PositionedJSON.Content, at position: TextPosition) -> PositionedJSON.Member {
        .init(
          key: word.text, position: word.position, value: PositionedJSON(content: content, position: position))
      }
      if word.text == "every" {
        when.append(member(.bool(true), at: word.position))
      } else if FaultEvent.keys.contains(word.text) || occurrences.contains(word.text) {
        let value = try next()
        let isNumber =
          ["time", "connection_time"].contains(word.text) || occurrences.contains(word.text) && word.text != "from"
        when.append(member(isNumber ? value.number : .string(value.text), at: value.position))
      } else if let kind = FaultAction.Kind(rawValue: word.text) {
        if plain != nil || !what.isEmpty { throw PositionedError(word.position, "a fault has one action") }
        switch kind {
        case _ where kind.isPlain:
          plain = PositionedJSON(content: .string(word.text), position: word.position)
        case .flip:
          let (octet, mask) = (try next(), try next())
          what.append(
            member(
              .object([
                .init(
                  key: "octet", position: octet.position,
                  value: PositionedJSON(content: octet.number, position: octet.position)),
                .init(
                  key: "mask", position: mask.position,
                  value: PositionedJSON(content: .string(mask.text), position: mask.position)),
              ]), at: octet.position))
        default:
          let value = try next()
          what.append(member(kind.takesNumber ? value.number : .string(value.text), at: value.position))
        }
      } else {
        let known = FaultEvent.keys + occurrences + FaultAction.Kind.allCases.map(\.rawValue)
        let suggestion = Suggestion.sentence(for: word.text, among: known)
        throw PositionedError(
          word.position, "expected an event, a count or an action, found '\(word.text.inert)'\(suggestion)")
      }
    }
    let start = words.first?.position ?? TextPosition()
    var members: [PositionedJSON.Member] = []
    if !when.isEmpty {
      members.append(
        .init(key: "when", position: start, value: PositionedJSON(content: .object(when), position: start)))
    }
    if let action = plain ?? what.first.map({ PositionedJSON(content: .object(what), position: $0.position) }) {
      members.append(.init(key: "what", position: action.position, value: action))
    }
    return PositionedJSON(content: .object(members), position: start)
  }

  private static func split(_ text: String) throws(PositionedError) -> [Word] {
    var words: [Word] = []
    var word: (text: String, column: Int)?
    var quote: Int?
    var column = 0
    for character in text {
      column += 1
      if character == "\"" {
        quote = quote == nil ? column : nil
        word = word ?? ("", column)
      } else if quote == nil, character == " " || character == "\t" {
        if let ended = word { words.append(Word(text: ended.text, position: TextPosition(column: ended.column))) }
        word = nil
      } else {
        word = ((word?.text ?? "") + String(character), word?.column ?? column)
      }
    }
    if let quote { throw PositionedError(TextPosition(column: quote), "expected a second '\"'") }
    if let ended = word { words.append(Word(text: ended.text, position: TextPosition(column: ended.column))) }
    return words
  }
}

extension FaultWords.Word {
  /// A number, or the word as a string, which the reader then refuses with its place.
  fileprivate var number: PositionedJSON.Content {
    guard let number = Double(text), number.isFinite else { return .string(text) }
    return .number(number)
  }
}

extension FaultAction.Kind {
  /// Whether its value is a number in JSON.
  fileprivate var takesNumber: Bool {
    switch self {
    case .delay, .repeated, .cut, .lengthen, .loseDataToHost, .loseDataFromHost, .ignoreCommands,
      .spoilEncryptedPackets, .shiftHandles, .silence, .declareMTU, .fillQueue:
      true
    default: false
    }
  }
}

extension Fault {
  /// The words with which a fault in words can go on, for the completion of a command line.
  /// - Parameter words: the words before.
  public static func words(after words: [String]) -> [String] {
    switch words.last {
    case "phase": return FaultPhase.allCases.map(\.rawValue)
    case "from": return FaultSender.allCases.map(\.rawValue)
    case "packet": return FaultPacketKind.names
    case let word? where FaultEvent.operations.contains { $0.key == word }: return ["any"]
    case nil: return FaultEvent.keys
    default: return FaultWords.occurrences + FaultAction.Kind.allCases.map(\.rawValue)
    }
  }
}
