import BLEText

/// One field of comma-separated values (RFC 4180).
package enum CSVField: Sendable, Equatable {
  /// A text made by this program: a number, a time, a word, hexadecimal digits.
  case word(String)
  /// A text from any source.
  case text(String)
  case none

  package static func word(_ number: Int?) -> CSVField { number.map { .word(String($0)) } ?? .none }
  package static func word(orNull text: String?) -> CSVField { text.map { .word($0) } ?? .none }
  package static func text(orNull text: String?) -> CSVField { text.map { .text($0) } ?? .none }

  package static func line(_ fields: [CSVField]) -> String { fields.map(\.written).joined(separator: ",") }

  package var written: String {
    switch self {
    case .none: return ""
    case .word(let word): return word
    case .text(let text):
      // Control characters are escaped. A text that a spreadsheet would take for a formula gets an apostrophe in front. Quotes protect all
      // kinds of separators.
      let inert = text.inert
      let safe = inert.first.map { Self.beginnings.contains($0) } ?? false ? "'" + inert : inert
      return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
  }

  /// Also the full-width forms of East Asian keyboards; a blank, which some spreadsheets drop; and the apostrophe itself, so that an added
  /// one can be removed again.
  private static let beginnings: Set<Character> = ["=", "+", "-", "@", "＝", "＋", "－", "＠", " ", "'"]
}
