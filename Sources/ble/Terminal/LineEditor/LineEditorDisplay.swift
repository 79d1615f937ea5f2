/// Draws a line being edited at the bottom of a terminal: returns text for the terminal, based on what it has drawn before.
///
/// It breaks rows itself, so that the result does not depend on the terminal's wrapping. A line that is taller than the terminal is shown
/// around the cursor.
struct LineEditorDisplay {
  /// The contents to draw.
  struct Picture: Equatable {
    /// Lines above the prompt, truncated to the terminal's width.
    var above: [String] = []
    var prompt: String
    var characters: [Character]
    var cursor: Int
  }

  var columns: Int
  var rows: Int
  /// The widths of the drawn rows, and the row of the cursor.
  private var drawn: [Int] = []
  private var cursorRow = 0
  private var cursorColumn = 0

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  private var width: Int { max(4, columns) }

  /// Erases what was drawn; the cursor is then at the beginning of its first row.
  mutating func erase() -> String {
    guard !drawn.isEmpty else { return "" }
    defer { drawn = [] }
    // A terminal that has become narrower has wrapped the rows again.
    let height = drawn[..<cursorRow].reduce(0) { $0 + Self.height(ofRow: $1, width) } + cursorColumn / width
    let up = min(height, max(0, rows - 1))
    return (up > 0 ? "\u{1B}[\(up)A" : "") + "\r\u{1B}[J"
  }

  /// Replaces what was drawn.
  mutating func draw(_ picture: Picture) -> String {
    let erasure = erase()
    let layout = Layout(picture, width)
    let mostRows = max(1, rows - 1)
    // As many rows as fit, including the cursor's.
    let first = max(0, min(layout.cursorRow - mostRows / 2, layout.rows.count - mostRows))
    let shown = layout.rows[first..<min(layout.rows.count, first + mostRows)]
    drawn = shown.map(\.width)
    cursorRow = layout.cursorRow - first
    cursorColumn = layout.cursorColumn
    var text = erasure + shown.map(\.text).joined(separator: "\r\n") + "\r"
    let up = shown.count - 1 - cursorRow
    if up > 0 { text += "\u{1B}[\(up)A" }
    if cursorColumn > 0 { text += "\u{1B}[\(cursorColumn)C" }
    return text
  }

  /// Leaves the line on the screen and moves the cursor below it.
  mutating func leave(_ picture: Picture) -> String {
    var picture = picture
    picture.cursor = picture.characters.count
    let text = draw(picture)
    drawn = []
    return text + "\r\n"
  }

  /// Clears the screen.
  mutating func clearScreen() -> String {
    drawn = []
    return "\u{1B}[H\u{1B}[2J"
  }

  private static func height(ofRow width: Int, _ columns: Int) -> Int { max(1, (width + columns - 1) / columns) }
}

extension LineEditorDisplay {
  /// Text in rows, with the position of the cursor.
  private struct Layout {
    struct Row {
      var text = ""
      var width = 0
    }

    var rows: [Row] = []
    var cursorRow = 0
    var cursorColumn = 0
    private let width: Int

    init(_ picture: Picture, _ width: Int) {
      self.width = width
      rows = picture.above.map { line in
        let text = line.truncated(toColumns: width - 1)
        return Row(text: text, width: text.displayWidth)
      }
      rows.append(Row())
      for character in picture.prompt { append(String(character), width: character.displayWidth) }
      for (index, character) in picture.characters.enumerated() {
        let (text, width) = LineEditorDisplay.shown(character)
        if index == picture.cursor { placeCursor(before: min(width, self.width)) }
        if width > 2 {
          for part in text { append(String(part), width: 1) }
        } else {
          append(text, width: width)
        }
      }
      if picture.cursor == picture.characters.count { placeCursor(before: 1) }
    }

    private mutating func append(_ text: String, width: Int) {
      if rows[rows.count - 1].width + width > self.width { rows.append(Row()) }
      rows[rows.count - 1].text += text
      rows[rows.count - 1].width += width
    }

    private mutating func placeCursor(before width: Int) {
      if rows[rows.count - 1].width + width > self.width { rows.append(Row()) }
      cursorRow = rows.count - 1
      cursorColumn = rows[cursorRow].width
    }
  }

  /// A character as it is displayed: one that could affect the terminal is escaped.
  static func shown(_ character: Character) -> (text: String, width: Int) {
    if character == "\n" { return ("↵", 1) }
    if character == "\\" { return ("\\", 1) }
    let text = String(character)
    if text.isInert {
      let width = character.displayWidth
      // A combining mark without a base character would combine with whatever is before it.
      return width > 0 ? (text, width) : ("◌" + text, 1)
    }
    let written = text.inert
    return (written, written.displayWidth)
  }
}
