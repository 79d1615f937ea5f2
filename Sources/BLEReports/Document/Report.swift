import Foundation

/// Something that is reported: what programs get of it is declared once, for JSON and comma-separated values.
package protocol Report: Sendable {
  /// The members for programs, in this order.
  static var members: [ReportMember<Self>] { get }
}

/// A named value of a row, for programs.
package struct ReportMember<Row>: Sendable {
  package let name: String
  /// Its columns in comma-separated values: most members have one, of the same name.
  package let columns: [String]
  package let value: @Sendable (Row) -> ReportValue

  package init(_ name: String, columns: [String]? = nil, _ value: @escaping @Sendable (Row) -> ReportValue) {
    self.name = name
    self.columns = columns ?? [name]
    self.value = value
  }

  /// The member of a part, as a member of the whole.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row) -> ReportMember<Whole> {
    ReportMember<Whole>(name, columns: columns) { [value] in value(part($0)) }
  }
}

package enum ReportValue {
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
  case octets(Data?)

  package var json: JSONValue {
    switch self {
    case .word(let text), .text(let text): .string(orNull: text)
    case .texts(let texts): .array(texts.map(JSONValue.string))
    case .integer(let number): number.map(JSONValue.integer) ?? .null
    case .number(let number): number.map(JSONValue.number) ?? .null
    case .flag(let isOn): isOn.map(JSONValue.bool) ?? .null
    case .parts(let parts): .array(parts.map(\.json))
    case .json(let value): value ?? .null
    case .octets(let octets): octets.map { ValueText(Array($0)).json } ?? .null
    }
  }

  package var fields: [CSVField] {
    switch self {
    case .word(let word): return [.word(orNull: word)]
    case .text(let text): return [.text(orNull: text)]
    case .texts(let texts): return [.text(texts.joined(separator: " "))]
    case .integer(let number): return [.word(number)]
    case .number(let number): return [.word(orNull: number.map { String($0) })]
    case .flag(let isOn): return [.word(orNull: isOn.map { String($0) })]
    case .parts, .json: return [.text(json.text)]
    case .octets(let octets):
      let text = octets.map { ValueText(Array($0)) }
      return [.word(orNull: text?.hexadecimal), .text(orNull: text?.readableText)]
    }
  }
}

extension Report {
  package static var header: [CSVField] { members.flatMap(\.columns).map { .word($0) } }
  package var fields: [CSVField] { Self.members.flatMap { $0.value(self).fields } }
  package var json: JSONValue {
    .object(Self.members.map { JSONValue.Member(key: $0.name, value: $0.value(self).json) })
  }
}
