import Glibc

/// Makes strings of texts of which a few come again and again: one that has just been there is not made once more.
struct RecentTexts {
  private static let limit = 4
  private var texts: [String] = []
  /// The place of the next text that is not among them.
  private var next = 0

  /// - Parameter characters: ended by zero.
  mutating func text(_ characters: UnsafePointer<CChar>) -> String {
    for text in texts where text.withCString({ strcmp($0, characters) }) == 0 { return text }
    let made = String(cString: characters)
    if texts.count < Self.limit {
      texts.append(made)
    } else {
      texts[next] = made
      next = (next + 1) % Self.limit
    }
    return made
  }
}
