/// What is on a whole screen, and how to get from there to the next picture: only lines that differ are written again.
struct ScreenCanvas {
  private(set) var columns: Int
  private(set) var rows: Int
  private var shown: [String] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// A window of another size: nothing of what is there can be relied on.
  mutating func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    shown = []
  }

  /// The picture is to be drawn as a whole, onto a cleared screen.
  mutating func forget() { shown = [] }

  /// What brings the screen to show `lines`, from the top; those that find no room are left out.
  mutating func draw(_ lines: [String]) -> String {
    let picture = Array(lines.prefix(rows))
    var text = shown.isEmpty ? "\u{1B}[2J" : ""
    for (row, line) in picture.enumerated() where row >= shown.count || shown[row] != line {
      text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
    }
    if shown.count > picture.count { text += "\u{1B}[\(picture.count + 1);1H\u{1B}[J" }
    shown = picture
    guard !text.isEmpty else { return "" }
    // Terminals that know this show all of it at once; the others pass over it.
    return "\u{1B}[?2026h" + text + "\u{1B}[?2026l"
  }
}
