/// RSSI values over time, drawn with block characters.
struct SignalChart: Sendable {
  /// In dBm, oldest first; `nil` for a gap.
  private(set) var strengths: [Int?] = []

  /// The most values: more than any terminal has columns.
  private static let most = 1024
  private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  mutating func add(_ rssi: Int?) {
    strengths.append(rssi)
    if strengths.count > Self.most { strengths.removeFirst(strengths.count - Self.most) }
  }

  /// The chart with its scale, with this width and height.
  func lines(columns: Int, rows: Int) -> [String] {
    let width = columns - 6
    guard width > 0, rows > 0 else { return [] }
    let span = Sparkline.strongest - Sparkline.weakest
    let shown = Array(strengths.suffix(width))
    return (0..<rows).map { row in
      let top = Sparkline.strongest - row * span / rows
      let isLabelled = row == 0 || row == rows / 2
      let label = isLabelled ? String(top) : row == rows - 1 ? String(Sparkline.weakest) : ""
      let bars = shown.map { strength -> Character in
        guard let strength else { return " " }
        // In eighths of a row, above the bottom of this row; the weakest signal is still visible.
        let height = max(1, (min(strength, Sparkline.strongest) - Sparkline.weakest) * rows * 8 / span)
        return Self.blocks[min(8, max(0, height - (rows - 1 - row) * 8))]
      }
      return String(repeating: " ", count: max(0, 4 - label.count)) + label + (isLabelled ? " ┤" : " │") + String(bars)
    }
  }
}
