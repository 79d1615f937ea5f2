extension String {
  /// The text made harmless for a terminal and for a log line: everything that could control a terminal, or hide or reorder the text around
  /// it, is escaped: control characters, escape sequences, direction overrides, line separators, invisible characters. Letters of all
  /// scripts and emoji are kept.
  package var inert: String {
    guard !isInert else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\\": text += "\\\\"
      case _ where Self.mayAct(scalar): text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The same for text that people write to each other, in which a backslash is kept. An escape can then no longer be distinguished from
  /// the same characters in the text.
  package var inertWords: String {
    unicodeScalars.split(separator: "\\", omittingEmptySubsequences: false)
      .map { String(String.UnicodeScalarView($0)).inert }.joined(separator: "\\")
  }

  /// Whether the text needs no escapes.
  package var isInert: Bool { !unicodeScalars.contains(where: Self.mayAct) }

  /// Whether the character could control a terminal, or hide or reorder the text around it.
  package static func mayAct(_ scalar: Unicode.Scalar) -> Bool {
    // Most characters are ASCII, which needs no look at Unicode's tables.
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\\" }
    switch scalar {
    // The zero width joiner and non-joiner join emoji, and shape words of some scripts.
    case "\u{200C}", "\u{200D}": return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: return true
    // Private use characters look different on each machine.
    case .privateUse: return true
    default: return false
    }
  }
}
