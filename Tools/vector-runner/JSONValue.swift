/// Any JSON value. A key that is absent and a key that is `null` are two things in a vector file.
enum JSONValue: Decodable, Equatable, Sendable {
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  subscript(key: String) -> JSONValue? { object?[key] }

  var object: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }

  var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// A whole number.
  var integer: Int? {
    if case .number(let value) = self { Int(exactly: value) } else { nil }
  }

  /// A number written as `"0x00F0"`.
  var hexadecimalNumber: Int? {
    guard let string, string.hasPrefix("0x") else { return nil }
    return Int(string.dropFirst(2), radix: 16)
  }

  /// A list all of whose entries can be read by `read`.
  func list<Element>(_ read: (JSONValue) -> Element?) -> [Element]? {
    guard let array else { return nil }
    let elements = array.compactMap(read)
    return elements.count == array.count ? elements : nil
  }
}
