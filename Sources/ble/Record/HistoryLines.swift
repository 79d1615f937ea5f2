import BLESessionStore

/// Prints rows as they are read, so that only one is in memory.
@MainActor struct HistoryLines {
  private let session: Session
  private let isCSV: Bool
  private var output: Output { session.output }

  init(_ session: Session, isCSV: Bool) {
    self.session = session
    self.isCSV = isCSV
  }

  func print<Element: ReportRow>(
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
        // The reader of the output has closed it, or Ctrl-C was pressed.
        if session.waiting.interruption != nil { break }
      }
    } catch {
      output.flush()
      throw ToolError(error)
    }
    output.flush()
    if let interruption = session.waiting.interruption { throw interruption }
    if count == 0 { output.note("No such rows were recorded.") }
  }
}

/// One field of comma-separated values (RFC 4180).
enum CSVField: Sendable, Equatable {
  /// A text made by this program: a number, a time, a word, hexadecimal digits.
  case word(String)
  /// A text from any source.
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
