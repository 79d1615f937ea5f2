import BLESession
import BLEText
import Foundation

/// What a field of a command or an answer holds.
public enum FieldValue: Sendable, Hashable {
  /// A number.
  case integer(Int)
  /// Text; as a value that is given, whatever it stands for in the field.
  case text(String)
  /// Octets as they are.
  case octets(Data)
}

extension FieldValue: CustomStringConvertible {
  /// Digits, text, or hexadecimal digits.
  public var description: String {
    switch self {
    case .integer(let value): String(value)
    case .text(let text): text
    case .octets(let octets): Hexadecimal.encode(octets)
    }
  }
}

extension FieldValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// A number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// Text, or what it stands for.
  public init(stringLiteral value: String) { self = .text(value) }
}

/// One field of an answer or a notification, as the device said it.
public struct FieldReading: Sendable, Hashable {
  /// The field's name.
  public var name: String
  /// What it holds.
  public var value: FieldValue
  /// What the description calls this number, where it has a name for it.
  public var word: String?
  /// What the number counts, such as `%`.
  public var unit: String?

  /// A reading.
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
  /// The field's name.
  public var field: String
  /// What was expected and what was found.
  public var expected: String
}

extension FieldError: LocalizedError {
  /// The field and what was expected of it.
  public var errorDescription: String? { "\"\(field.inert)\": \(expected)" }
}
