extension String {
  /// The text with everything that could act on a terminal, hide or reorder its surroundings written out: control
  /// characters, escape sequences, direction overrides, line separators, invisible characters. Letters of all scripts and
  /// emoji stay as they are.
  var inert: String {
    guard unicodeScalars.contains(where: Self.mayAct) else { return self }
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

  /// Whether nothing in the text has to be written out.
  var isInert: Bool { !unicodeScalars.contains(where: Self.mayAct) }

  static func mayAct(_ scalar: Unicode.Scalar) -> Bool {
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
