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
    try await print({ $0 }, query)
  }

  /// - Parameter row: what is printed of an element.
  func print<Read, Element: ReportRow>(
    _ row: (Read) -> Element, _ query: () throws(StoreError) -> StoreCursor<Read>
  ) async throws(ToolError) {
    let style = output.style
    var count = 0
    do throws(StoreError) {
      let rows = try query()
      if isCSV { output.collect(CSVField.line(Element.header)) }
      while let read = try rows.next() {
        let row = row(read)
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
