import BLESessionStore

/// Prints rows as they are read: as many as there may be, one is in memory.
@MainActor struct HistoryLines {
  private let session: Session
  private let isCSV: Bool
  private var output: Output { session.output }

  init(_ session: Session, isCSV: Bool) {
    self.session = session
    self.isCSV = isCSV
  }

  func print<Element: HistoryRow>(
    _ query: () throws(StoreError) -> StoreCursor<Element>
  ) async throws(ToolError) {
    let style = output.style
    var count = 0
    do throws(StoreError) {
      let rows = try query()
      if isCSV { output.collect(CSVField.line(Element.header)) }
      while let row = try rows.next() {
        if output.isJSON {
          output.collect(row.json.text)
        } else if isCSV {
          output.collect(CSVField.line(row.fields))
        } else {
          if count == 0 { output.collect(style.strong(Element.heading)) }
          output.collect(row.line(style))
        }
        count += 1
        if count.isMultiple(of: 256) { await Task.yield() }
        // Whoever reads has gone, or Ctrl-C was pressed.
        if session.waiting.interruption != nil { break }
      }
    } catch {
      output.flush()
      throw ToolError(error)
    }
    output.flush()
    if let interruption = session.waiting.interruption { throw interruption }
    if count == 0 { output.note("Nothing of that was recorded.") }
  }
}

/// One field of comma-separated values (RFC 4180).
enum CSVField: Sendable, Equatable {
  /// Something that this program has made: a number, a moment, a word, hexadecimal digits.
  case word(String)
  /// A text from anywhere.
  case text(String)
  case none

  static func word(_ number: Int?) -> CSVField { number.map { .word(String($0)) } ?? .none }
  static func word(orNull text: String?) -> CSVField { text.map { .word($0) } ?? .none }
  static func text(orNull text: String?) -> CSVField { text.map { .text($0) } ?? .none }

  static func line(_ fields: [CSVField]) -> String { fields.map(\.written).joined(separator: ",") }

  var written: String {
    switch self {
    case .none: return ""
    case .word(let word): return word
    case .text(let text):
      // Control characters, which act on terminals, are written out; a beginning that spreadsheets take for a formula is not one
      // behind an apostrophe. Quotes keep separators of all kinds inside.
      let inert = text.inert
      let safe = inert.first.map { Self.beginnings.contains($0) } ?? false ? "'" + inert : inert
      return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
  }

  /// Also in the width that East Asian keyboards type; a blank, which some spreadsheets drop; the apostrophe itself, so that what was
  /// added can be taken away again.
  private static let beginnings: Set<Character> = ["=", "+", "-", "@", "＝", "＋", "－", "＠", " ", "'"]
}
