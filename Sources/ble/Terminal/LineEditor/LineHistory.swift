/// The lines that were typed before, and where one is among them.
struct LineHistory {
  /// Older ones are forgotten.
  static let mostLines = 1000
  /// Longer ones are not kept.
  static let longestLine = 4096

  private(set) var lines: [String]
  private var position: Int
  /// What was being typed when somebody went back.
  private var draft = ""
  /// Told of each line that is kept.
  private let keep: ((String) -> Void)?

  init(_ lines: [String] = [], keep: ((String) -> Void)? = nil) {
    self.lines = Array(lines.suffix(Self.mostLines))
    self.keep = keep
    position = self.lines.count
  }

  /// Keeps a line, unless it is blank, begins with a space, is too long or is the same as the last one.
  mutating func remember(_ line: String) {
    defer { position = lines.count }
    guard let first = line.first, first != " ", line.contains(where: { !$0.isWhitespace }),
      line.utf8.count <= Self.longestLine, line != lines.last
    else { return }
    lines.append(line)
    if lines.count > Self.mostLines { lines.removeFirst() }
    keep?(line)
  }

  /// The line before, `nil` at the first one. `text` is what stands on the screen, which `next()` brings back in the end.
  mutating func previous(instead text: String) -> String? {
    guard position > 0 else { return nil }
    if position == lines.count { draft = text }
    position -= 1
    return lines[position]
  }

  /// The line after; after the last one what was being typed.
  mutating func next() -> String? {
    guard position < lines.count else { return nil }
    position += 1
    return position < lines.count ? lines[position] : draft
  }
}
