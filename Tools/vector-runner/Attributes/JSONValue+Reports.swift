import BLECore

/// Putting reports into the notation of the vector files, and comparing.
extension JSONValue {
  static func handle(_ handle: AttributeHandle) -> JSONValue { .string(numberText(handle.rawValue, digits: 4)) }
  static func error(_ code: UInt8) -> JSONValue { .string(numberText(code, digits: 2)) }
  static func uuid(_ uuid: BLEUUID) -> JSONValue { .string(uuid.forAttributeProtocol.description) }

  static func list<Element>(_ elements: [Element], _ describe: (Element) -> [String: JSONValue]) -> JSONValue {
    .array(elements.map { .object(describe($0)) })
  }

  /// Whether `got` is what is wanted here: keys that are not here are not judged, and `"0x0A"` and 10 are the same number.
  func isMatched(by got: JSONValue) -> Bool {
    switch (self, got) {
    case (.array(let wanted), .array(let got)):
      return wanted.count == got.count && zip(wanted, got).allSatisfy { $0.isMatched(by: $1) }
    case (.array, .number): return propertyBits.map { got == .number(Double($0)) } ?? false
    case (.object(let wanted), .object(let got)):
      return wanted.allSatisfy { $0.value.isMatched(by: got[$0.key] ?? .null) }
    default:
      if let wanted = wholeNumber, let number = got.wholeNumber { return wanted == number }
      return self == got
    }
  }

  private var wholeNumber: Int? { integer ?? hexadecimalNumber }

  /// The bits of a list of property names.
  private var propertyBits: Int? {
    let names = [
      "broadcast", "read", "write_without_response", "write", "notify", "indicate", "authenticated_signed_writes",
      "extended_properties",
    ]
    let bits = list { entry in entry.string.flatMap { names.firstIndex(of: $0) } }
    return bits?.reduce(0) { $0 | 1 << $1 }
  }

  /// For messages.
  var text: String {
    switch self {
    case .null: "nothing"
    case .boolean(let value): "\(value)"
    case .number(let value): Int(exactly: value).map { "\($0)" } ?? "\(value)"
    case .string(let value): value
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let fields):
      "{" + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text)" }.joined(separator: ", ") + "}"
    }
  }
}
