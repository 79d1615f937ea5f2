import BLESession
import BLEText
import Foundation

/// The value of a field of a command or an answer.
public enum FieldValue: Sendable, Hashable {
  /// A number.
  case integer(Int)
  /// Text; in a command's values it is parsed according to the field.
  case text(String)
  /// Octets.
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
  /// Text, which is parsed according to the field.
  public init(stringLiteral value: String) { self = .text(value) }
}

/// One field of an answer or a notification, with the value from the device.
public struct FieldReading: Sendable, Hashable {
  /// The field's name.
  public var name: String
  /// The field's value.
  public var value: FieldValue
  /// The description's name for this number; `nil` if it has none.
  public var word: String?
  /// The unit of the number, such as `%`.
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
  /// The value with its unit, or its name: `72 %`, `open`.
  public var description: String { (word ?? value.description) + (unit.map { " \($0)" } ?? "") }
}

/// Why a value is not valid for a field. The message continues a sentence that begins with the field.
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
