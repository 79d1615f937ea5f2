/// The width of text in columns of a terminal.
///
/// A character (grapheme cluster) is measured as a whole: an emoji has two columns, however many scalars it consists of; combining marks
/// have none; East Asian wide and full-width letters have two (Unicode Standard Annex 11).
extension Character {
  var displayWidth: Int {
    var width = 0
    var regionalIndicators = 0
    for scalar in unicodeScalars {
      if scalar.value == 0xFE0F, width > 0 { return 2 }
      if scalar.isRegionalIndicator { regionalIndicators += 1 }
      if scalar.properties.isEmojiPresentation { return 2 }
      width += scalar.displayWidth
    }
    return regionalIndicators == 2 ? 2 : width
  }
}

extension StringProtocol {
  /// The sum over its characters; line breaks have no width.
  var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// As much of the text as fits into `columns`, with an ellipsis if something is cut off.
  func truncated(toColumns columns: Int) -> String {
    guard displayWidth > columns else { return String(self) }
    var text = ""
    var width = 0
    for character in self {
      let next = character.displayWidth
      if width + next > columns - 1 { break }
      text.append(character)
      width += next
    }
    return columns > 0 ? text + "…" : ""
  }
}

extension Unicode.Scalar {
  fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

  fileprivate var displayWidth: Int {
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) || value == 0xAD ? 0 : 1 }
    // The middle and the end of a Korean syllable share the columns of its beginning.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format, .lineSeparator, .paragraphSeparator: return 0
    default: return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// The ranges of East Asian width W and F without emoji, including the unassigned code points between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
