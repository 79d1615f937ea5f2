extension String {
  /// The text made harmless for a terminal and for a line of a log: everything that could act on a terminal, hide or reorder its
  /// surroundings is written out: control characters, escape sequences, direction overrides, line separators, invisible characters.
  /// Letters of all scripts and emoji stay as they are.
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

  /// The same for text that people write to each other, in which a backslash is a backslash. What was written out can then no
  /// longer be told from what was written like that.
  package var inertWords: String {
    unicodeScalars.split(separator: "\\", omittingEmptySubsequences: false)
      .map { String(String.UnicodeScalarView($0)).inert }.joined(separator: "\\")
  }

  /// Whether nothing in the text has to be written out.
  package var isInert: Bool { !unicodeScalars.contains(where: Self.mayAct) }

  /// Whether the character could act on a terminal, hide or reorder what stands around it.
  package static func mayAct(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    // The zero width joiner and non-joiner hold emoji and words of some scripts together.
    case "\u{200C}", "\u{200D}": return false
    case "\\": return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: return true
    // Private use shows differently on each machine.
    case .privateUse: return true
    default: return false
    }
  }
}
