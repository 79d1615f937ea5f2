/// Edits a line: octets from a terminal in, outcomes out. It is independent of the terminal: `LineEditorDisplay` draws, and `LineInput`
/// reads and writes.
///
/// The unit of editing is the grapheme cluster: a letter with its marks, an emoji of many scalars, a flag.
struct LineEditor {
  /// The result of a key, other than a changed line.
  enum Outcome: Equatable, Sendable {
    /// A line was submitted; the editor is empty again.
    case line(String)
    /// The end of the input.
    case end
    case interrupt
    /// The key has no effect.
    case bell
    /// The possible completions of the word before the cursor.
    case candidates([String])
    case clearScreen
  }

  /// A completion at the cursor: `replacing` characters before it are replaced by one of the candidates.
  struct Completion: Equatable, Sendable {
    var replacing: Int
    var candidates: [String]
  }

  /// Returns completions of the text before the cursor.
  typealias Completer = (_ text: String) -> Completion

  /// The longest line, in octets; longer input is refused with a bell.
  static let longestLine = 65_536

  private(set) var characters: [Character] = []
  /// The cursor is in front of the character with this index.
  private(set) var cursor = 0
  var history: LineHistory
  private let completer: Completer?
  private var reader = LineEditorKeyReader()
  private var killed = ""
  private var lastKey: LineEditorKey?

  init(history: LineHistory = LineHistory(), completer: Completer? = nil) {
    self.history = history
    self.completer = completer
  }

  var text: String { String(characters) }

  /// Processes octets of the terminal, in pieces of any length.
  mutating func take(_ octets: some Sequence<UInt8>) -> [Outcome] {
    reader.take(octets).compactMap { press($0) }
  }

  mutating func press(_ key: LineEditorKey) -> Outcome? {
    defer { lastKey = key }
    switch key {
    case .text(let text), .paste(let text): return insert(text)
    case .enter:
      let line = text
      history.remember(line)
      set("")
      return .line(line)
    case .tab: return complete()
    case .endOfInput: return characters.isEmpty ? .end : remove(cursor..<cursor + 1)
    case .interrupt: return .interrupt
    case .clearScreen: return .clearScreen
    case .previous: return recall(history.previous(instead: text))
    case .next: return recall(history.next())
    case .unknown: return .bell
    case .left, .right, .home, .end, .wordLeft, .wordRight: return move(key)
    case .backspace: return remove(cursor - 1..<cursor)
    case .delete: return remove(cursor..<cursor + 1)
    case .killToEnd, .killToStart, .killWord, .killWordForward: return kill(key)
    case .yank: return killed.isEmpty ? .bell : insert(killed)
    case .transpose: return transpose()
    }
  }

  /// Abandons the line.
  mutating func clear() {
    history.leave()
    set("")
  }

  // MARK: Text

  private mutating func set(_ text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  private mutating func recall(_ line: String?) -> Outcome? {
    guard let line else { return .bell }
    set(line)
    return nil
  }

  /// Inserted characters may combine with their neighbours; the cursor stays after the inserted text.
  private mutating func insert(_ text: String) -> Outcome? {
    let before = String(characters[..<cursor])
    let after = String(characters[cursor...])
    guard before.utf8.count + text.utf8.count + after.utf8.count <= Self.longestLine else { return .bell }
    let whole = before + text + after
    let position = before.unicodeScalars.count + text.unicodeScalars.count
    characters = Array(whole)
    cursor = 0
    var passed = 0
    while passed < position {
      passed += characters[cursor].unicodeScalars.count
      cursor += 1
    }
    return nil
  }

  private mutating func remove(_ range: Range<Int>) -> Outcome? {
    guard range.lowerBound >= 0, range.upperBound <= characters.count else { return .bell }
    cursor = range.lowerBound
    characters.removeSubrange(range)
    // The characters that are now adjacent may combine.
    _ = insert("")
    return nil
  }

  private mutating func transpose() -> Outcome? {
    guard characters.count > 1, cursor > 0 else { return .bell }
    let second = min(cursor, characters.count - 1)
    characters.swapAt(second - 1, second)
    cursor = second + 1
    _ = insert("")
    return nil
  }

  // MARK: Moving

  private mutating func move(_ key: LineEditorKey) -> Outcome? {
    let target =
      switch key {
      case .left: cursor - 1
      case .right: cursor + 1
      case .home: 0
      case .end: characters.count
      case .wordLeft: startOfWord
      default: endOfWord
      }
    guard characters.indices.contains(target) || target == characters.count else { return .bell }
    cursor = target
    return nil
  }

  private var startOfWord: Int {
    var index = cursor
    while index > 0, !characters[index - 1].isPartOfWord { index -= 1 }
    while index > 0, characters[index - 1].isPartOfWord { index -= 1 }
    return index
  }

  private var endOfWord: Int {
    var index = cursor
    while index < characters.count, !characters[index].isPartOfWord { index += 1 }
    while index < characters.count, characters[index].isPartOfWord { index += 1 }
    return index
  }

  // MARK: Killing

  /// Consecutive kills are yanked together.
  private mutating func kill(_ key: LineEditorKey) -> Outcome? {
    let range =
      switch key {
      case .killToEnd: cursor..<characters.count
      case .killToStart: 0..<cursor
      case .killWord: startOfWord..<cursor
      default: cursor..<endOfWord
      }
    guard !range.isEmpty else { return .bell }
    let text = String(characters[range])
    switch lastKey {
    case .killToEnd, .killToStart, .killWord, .killWordForward:
      killed = range.upperBound == cursor ? text + killed : killed + text
    default: killed = text
    }
    return remove(range)
  }

  // MARK: Completing

  /// Inserts the common prefix of all candidates; a second Tab shows them.
  private mutating func complete() -> Outcome? {
    guard let completion = completer?(String(characters[..<cursor])), !completion.candidates.isEmpty else {
      return .bell
    }
    let count = min(max(0, completion.replacing), cursor)
    let typed = String(characters[cursor - count..<cursor])
    let common = Self.commonStart(of: completion.candidates)
    if common.count > count || (completion.candidates.count == 1 && common != typed) {
      _ = remove(cursor - count..<cursor)
      return insert(common)
    }
    if completion.candidates.count == 1 { return nil }
    return lastKey == .tab ? .candidates(completion.candidates) : .bell
  }

  private static func commonStart(of texts: [String]) -> String {
    guard var common = texts.first else { return "" }
    for text in texts.dropFirst() { common = text.commonPrefix(with: common) }
    return common
  }
}

extension Character {
  fileprivate var isPartOfWord: Bool { isLetter || isNumber || self == "_" }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
