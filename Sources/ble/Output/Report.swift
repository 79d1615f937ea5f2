import Foundation

/// Something that is reported: what programs get of it is declared once, for JSON and comma-separated values.
protocol Report: Sendable {
  /// The members for programs, in this order.
  static var members: [ReportMember<Self>] { get }
}

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

/// A named value of a row, for programs.
struct ReportMember<Row>: Sendable {
  let name: String
  /// Its columns in comma-separated values: most members have one, of the same name.
  let columns: [String]
  let value: @Sendable (Row) -> ReportValue

  init(_ name: String, columns: [String]? = nil, _ value: @escaping @Sendable (Row) -> ReportValue) {
    self.name = name
    self.columns = columns ?? [name]
    self.value = value
  }

  /// The member of a part, as a member of the whole.
  func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> ReportMember<Whole> {
    ReportMember<Whole>(name, columns: columns) { [value] in value(part($0)) }
  }
}

enum ReportValue {
  /// A text made by this program: a time, an identifier, hexadecimal digits.
  case word(String?)
  /// A text from any source.
  case text(String?)
  case texts([String])
  case integer(Int?)
  case number(Double?)
  case flag(Bool?)
  /// Reports of its parts.
  case parts([any Report])
  /// Any other document.
  case json(JSONValue?)
  /// A characteristic's value: its octets, and as text if it is printable.
  case octets(Data)

  var json: JSONValue {
    switch self {
    case .word(let text), .text(let text): .string(orNull: text)
    case .texts(let texts): .array(texts.map(JSONValue.string))
    case .integer(let number): number.map(JSONValue.integer) ?? .null
    case .number(let number): number.map(JSONValue.number) ?? .null
    case .flag(let isOn): isOn.map(JSONValue.bool) ?? .null
    case .parts(let parts): .array(parts.map(\.json))
    case .json(let value): value ?? .null
    case .octets(let octets): ValueText(Array(octets)).json
    }
  }

  var fields: [CSVField] {
    switch self {
    case .word(let word): return [.word(orNull: word)]
    case .text(let text): return [.text(orNull: text)]
    case .texts(let texts): return [.text(texts.joined(separator: " "))]
    case .integer(let number): return [.word(number)]
    case .number(let number): return [.word(orNull: number.map { String($0) })]
    case .flag(let isOn): return [.word(orNull: isOn.map { String($0) })]
    case .parts, .json: return [.text(json.text)]
    case .octets(let octets):
      let text = ValueText(Array(octets))
      return [.word(text.hexadecimal), .text(orNull: text.readableText)]
    }
  }
}

extension Report {
  static var header: [CSVField] { members.flatMap(\.columns).map { .word($0) } }
  var fields: [CSVField] { Self.members.flatMap { $0.value(self).fields } }
  var json: JSONValue { .object(Self.members.map { JSONValue.Member(key: $0.name, value: $0.value(self).json) }) }
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
