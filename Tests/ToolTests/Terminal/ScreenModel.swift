@testable import ble

/// A terminal in memory, for the line editor's output: characters, CR, LF, cursor up and right, erase below, clear. Rows that
/// scroll out at the top are kept.
///
/// Like terminals it leaves the cursor in the last column when that has been written, and wraps at the next character.
struct ScreenModel {
  let columns: Int
  let rows: Int
  private(set) var lines: [[String]] = [[]]
  private(set) var row = 0
  private(set) var column = 0
  private var isWrapPending = false
  /// Unknown sequences, and cursor movements beyond the screen.
  private(set) var mistakes: [String] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The text on it, with the rows that have scrolled out.
  var text: [String] {
    lines.map { line in
      let text = line.joined()
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
  }

  private var top: Int { max(0, lines.count - rows) }

  mutating func write(_ text: String) {
    var rest = Substring(text)
    while let character = rest.first {
      rest = rest.dropFirst()
      switch character {
      case "\r\n":
        column = 0
        lineFeed()
      case "\r": (column, isWrapPending) = (0, false)
      case "\n": lineFeed()
      case "\u{7}": break
      case "\u{1B}":
        guard rest.first == "[", let end = rest.dropFirst().firstIndex(where: { $0.isLetter }) else {
          mistakes.append("ESC \(rest.prefix(4))")
          continue
        }
        act(String(rest[end]), Int(rest[rest.index(after: rest.startIndex)..<end]) ?? 1)
        rest = rest[rest.index(after: end)...]
      default: put(character)
      }
    }
  }

  private mutating func act(_ letter: String, _ count: Int) {
    isWrapPending = false
    switch letter {
    case "A":
      if row - count < top { mistakes.append("up \(count) from row \(row - top)") }
      row = max(top, row - count)
    case "C":
      if column + count > columns - 1 { mistakes.append("right \(count) from \(column)") }
      column = min(columns - 1, column + count)
    case "J":
      lines.removeSubrange((row + 1)...)
      lines[row] = Array(lines[row].prefix(column))
    default: mistakes.append("ESC [\(letter)")
    }
  }

  private mutating func lineFeed() {
    isWrapPending = false
    row += 1
    while lines.count <= row { lines.append([]) }
  }

  private mutating func put(_ character: Character) {
    let width = character.displayWidth
    guard width > 0 else { return mistakes.append("no width: \(character.unicodeScalars.map(\.value))") }
    if isWrapPending || column + width > columns {
      column = 0
      lineFeed()
      mistakes.append("wrapped by itself")
    }
    while lines[row].count < column + width { lines[row].append(" ") }
    lines[row][column] = String(character)
    for place in column + 1..<column + width where width > 1 { lines[row][place] = "" }
    column += width
    if column == columns { (column, isWrapPending) = (columns - 1, true) }
  }
}
