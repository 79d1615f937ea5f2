/// The lines typed before, and the current position in them.
struct LineHistory {
  /// The most lines; older ones are removed.
  static let mostLines = 1000
  /// The longest line that is kept, in octets.
  static let longestLine = 4096

  private(set) var lines: [String]
  private var position: Int
  /// The unfinished line at the time of the first `previous`.
  private var draft = ""
  /// Called with each line that is added.
  private let keep: ((String) -> Void)?

  init(_ lines: [String] = [], keep: ((String) -> Void)? = nil) {
    self.lines = Array(lines.suffix(Self.mostLines))
    self.keep = keep
    position = self.lines.count
  }

  /// Adds a line, unless it is blank, begins with a space, is too long or equals the last one.
  mutating func remember(_ line: String) {
    defer { position = lines.count }
    guard let first = line.first, first != " ", line.contains(where: { !$0.isWhitespace }),
      line.utf8.count <= Self.longestLine, line != lines.last
    else { return }
    lines.append(line)
    if lines.count > Self.mostLines { lines.removeFirst() }
    keep?(line)
  }

  /// The previous line, `nil` at the first one. `text` is the unfinished line, which `next()` finally returns.
  mutating func previous(instead text: String) -> String? {
    guard position > 0 else { return nil }
    if position == lines.count { draft = text }
    position -= 1
    return lines[position]
  }

  /// Returns to the end, where `previous` begins.
  mutating func leave() { position = lines.count }

  /// The next line; after the last one, the unfinished line.
  mutating func next() -> String? {
    guard position < lines.count else { return nil }
    position += 1
    return position < lines.count ? lines[position] : draft
  }
}
