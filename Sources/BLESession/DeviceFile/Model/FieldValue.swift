import Foundation

/// What a field of a command or an answer holds.
public enum FieldValue: Sendable, Hashable {
  case integer(Int)
  case text(String)
  case octets(Data)
}

extension FieldValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .integer(let value): String(value)
    case .text(let text): text
    case .octets(let octets): Hexadecimal.encode(octets)
    }
  }
}

extension FieldValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .text(value) }
}

/// One field of an answer or a notification, as the device said it.
public struct FieldReading: Sendable, Hashable {
  public var name: String
  public var value: FieldValue
  /// What the description calls this number, where it has a name for it.
  public var word: String?
  /// What the number counts, such as `%`.
  public var unit: String?

  public init(name: String, value: FieldValue, word: String? = nil, unit: String? = nil) {
    self.name = name
    self.value = value
    self.word = word
    self.unit = unit
  }
}

extension FieldReading: CustomStringConvertible {
  /// The value in words: `72 %`, `open`.
  public var description: String { (word ?? value.description) + (unit.map { " \($0)" } ?? "") }
}

/// Why a value does not go into a field: what was expected, as the rest of a sentence that begins with the field.
public struct FieldError: Error, Sendable, Hashable {
  public var field: String
  public var expected: String
}

extension FieldError: LocalizedError {
  public var errorDescription: String? { "\"\(field.inertText)\": \(expected)" }
}
