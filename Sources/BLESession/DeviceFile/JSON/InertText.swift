/// Text of others made harmless for a terminal and for a line of a log.
public enum InertText {
  /// The text with everything that could act on a terminal, hide or reorder its surroundings written out: control
  /// characters, escape sequences, direction overrides, line separators, invisible characters. Letters of all scripts and
  /// emoji stay as they are.
  public static func of(_ original: String) -> String {
    guard original.unicodeScalars.contains(where: mayAct) else { return original }
    var text = ""
    for scalar in original.unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\\": text += "\\\\"
      case _ where mayAct(scalar): text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Whether the character could act on a terminal, hide or reorder what stands around it.
  public static func mayAct(_ scalar: Unicode.Scalar) -> Bool {
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

extension String {
  var inertText: String { InertText.of(self) }
}
