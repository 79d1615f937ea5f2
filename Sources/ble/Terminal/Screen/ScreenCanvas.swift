/// The contents of the whole screen; only lines that differ are written again.
struct ScreenCanvas {
  private(set) var columns: Int
  private(set) var rows: Int
  private var shown: [String] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The size has changed: the previous contents are unknown.
  mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    shown = []
  }

  /// Forces the next picture to be drawn completely, on a cleared screen.
  mutating func forget() { shown = [] }

  /// Returns the text that makes the screen show `lines`, from the top; lines that do not fit are omitted.
  mutating func draw(_ lines: [String]) -> String {
    let picture = Array(lines.prefix(rows))
    var text = shown.isEmpty ? "\u{1B}[2J" : ""
    for (row, line) in picture.enumerated() where row >= shown.count || shown[row] != line {
      text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
    }
    if shown.count > picture.count { text += "\u{1B}[\(picture.count + 1);1H\u{1B}[J" }
    shown = picture
    guard !text.isEmpty else { return "" }
    // Synchronized output: terminals that support it show everything at once, the others ignore it.
    return "\u{1B}[?2026h" + text + "\u{1B}[?2026l"
  }
}
