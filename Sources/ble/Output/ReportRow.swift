import BLEReports

/// A row of a table: declared once, and printed for people as well.
protocol ReportRow: Report {
  /// The columns for people.
  static var table: [ReportColumn<Self>] { get }
  /// Additional texts after the last column.
  func remarks(_ style: Style) -> [String]
}

/// A column of the table for people. Text from a device has to be inert.
struct ReportColumn<Row>: Sendable {
  let title: String
  /// In characters; `nil` for the last column, or one whose texts have the same length.
  let width: Int?
  /// Whether it is emphasised.
  let isStrong: Bool
  let text: @Sendable (Row) -> String?

  init(_ title: String, _ width: Int? = nil, isStrong: Bool = false, _ text: @escaping @Sendable (Row) -> String?) {
    self.title = title
    self.width = width
    self.isStrong = isStrong
    self.text = text
  }

  /// Truncates or pads a text to the column's width.
  func fit(_ text: String) -> String {
    guard let width else { return text }
    let shown = text.count > width ? String(text.prefix(width - 1)) + "…" : text
    return shown + String(repeating: " ", count: max(0, width - shown.count))
  }
}

extension ReportRow {
  static var heading: String { table.map { $0.fit($0.title) }.joined(separator: "  ") }

  func line(_ style: Style) -> String {
    let columns = Self.table.map { column in
      let text = column.fit(column.text(self) ?? "-")
      return column.isStrong ? style.strong(text) : text
    }
    let line = (columns + remarks(style)).joined(separator: "  ")
    return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
  }

  func remarks(_ style: Style) -> [String] { [] }
}
