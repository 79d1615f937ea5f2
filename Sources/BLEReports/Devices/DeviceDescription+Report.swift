import BLEDeviceFiles
import BLESession

extension DeviceDescription: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.name) }, .init("description") { .text($0.summary) },
    .init("handshake") { .text($0.conversation?.handshake?.command) }, .init("commands") { .parts($0.commands) },
    .init("notifications") { .parts($0.notifications) },
  ]
}

extension DeviceCommand: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.name) }, .init("description") { .text($0.summary) },
    .init("parameters") { .parts($0.parameters) }, .init("results") { .parts($0.results) },
  ]
}

extension DeviceNotification: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.name) }, .init("description") { .text($0.summary) },
    .init("fields") { .parts($0.layout.fields) },
  ]
}

extension DescribedField: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.name) }, .init("description") { .text($0.summary) },
    .init("expected") { .text($0.expectation) },
    .init("default") { field in .text(field.standard.map { field.shown($0) }) }, .init("unit") { .text($0.unit) },
    .init("as") { .word($0.typeName) }, .init("octets") { .integer($0.width) },
    .init("minimum") { .integer($0.range?.lowerBound) }, .init("maximum") { .integer($0.range?.upperBound) },
    .init("words") { .texts($0.words) },
  ]

  /// A value, by its word if it has one.
  package func shown(_ value: FieldValue) -> String {
    guard case .integer(_, _, _, _, let words) = kind, case .integer(let number) = value,
      let word = words.first(where: { $0.number == number })
    else { return value.description }
    return word.text
  }

  /// As in a file's member `as`.
  private var typeName: String {
    switch kind {
    case .integer: "integer"
    case .text: "text"
    case .octets: "hex"
    }
  }

  private var range: ClosedRange<Int>? { if case .integer(_, _, _, let range, _) = kind { range } else { nil } }

  private var words: [String] {
    if case .integer(_, _, _, _, let words) = kind { words.map(\.text) } else { [] }
  }
}

extension FieldReading {
  /// `{"value": 1, "word": "open", "unit": null}`.
  package var json: JSONValue {
    ["value": value.json, "word": .string(orNull: word), "unit": .string(orNull: unit)]
  }
}

extension FieldValue {
  /// A number or a string; octets as hexadecimal digits.
  package var json: JSONValue {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .string(text)
    case .octets(let octets): .string(Hexadecimal.encode(octets))
    }
  }
}

extension [FieldReading] {
  /// `{"bolt": {"value": 1, "word": "open", "unit": null}}`.
  package var json: JSONValue { .object(map { JSONValue.Member(key: $0.name, value: $0.json) }) }
}
