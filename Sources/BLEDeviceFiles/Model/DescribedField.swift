import BLESession
import BLEText
import Foundation

/// One named field of a message. Its place follows from its order.
public struct DescribedField: Sendable, Hashable {
  /// The type of a field and its encoding.
  public enum Kind: Sendable, Hashable {
    /// An integer of 1 to 8 octets. `words` are names for numbers.
    case integer(width: Int, order: ByteOrder, isSigned: Bool, range: ClosedRange<Int>, words: [Word])
    /// UTF-8; padded with zeros to a fixed width, or `nil` for the rest of the message.
    case text(width: Int?)
    /// Octets; `nil` for the rest of the message.
    case octets(width: Int?)
  }

  /// A number with a name.
  public struct Word: Sendable, Hashable {
    /// The name.
    public var text: String
    /// The number.
    public var number: Int
  }

  /// The name in a command's values and in the readings of an answer.
  public var name: String
  /// The type and the encoding.
  public var kind: Kind
  /// The default for a command without this value.
  public var standard: FieldValue?
  /// The unit of numbers, such as `%`.
  public var unit: String?
  /// A description for people.
  public var summary: String?

  /// Octets on the air; `nil` if it depends on the message.
  public var width: Int? {
    switch kind {
    case .integer(let width, _, _, _, _): width
    case .text(let width), .octets(let width): width
    }
  }

  /// The accepted values, for help and for messages.
  public var expectation: String {
    switch kind {
    case .integer(_, _, _, let range, let words):
      words.isEmpty
        ? "a whole number from \(range.lowerBound) to \(range.upperBound)"
        : "one of " + words.map(\.text).joined(separator: ", ")
    case .text(let width): "text of at most \(width ?? Self.longest) octets"
    case .octets(let width?): "\(width) octets as hexadecimal digits"
    case .octets(nil): "at most \(Self.longest) octets as hexadecimal digits"
    }
  }

  /// The maximum length of an attribute value.
  static let longest = 512
}

extension DescribedField {
  /// Parses a value from a text that was typed, or is in a file.
  public func value(of text: String) throws(FieldError) -> FieldValue {
    switch kind {
    case .integer(_, _, _, _, let words):
      if let word = words.first(where: { $0.text == text }) { return .integer(word.number) }
      let number =
        text.hasPrefix("0x") || text.hasPrefix("0X") ? Int(text.dropFirst(2), radix: 16) : Int(text)
      guard let number, let value = try? checked(.integer(number)) else {
        let suggestion = Suggestion.sentence(for: text, among: words.map(\.text))
        throw refusal(found: "'\(text.inert)'\(suggestion)")
      }
      return value
    case .text: return try checked(.text(text))
    case .octets:
      guard let octets = try? Hexadecimal.decode(text) else { throw refusal(found: "'\(text.inert)'") }
      return try checked(.octets(octets))
    }
  }

  /// Returns the value if this field can hold it. Text is parsed for numbers and octets.
  public func checked(_ value: FieldValue) throws(FieldError) -> FieldValue {
    switch (kind, value) {
    case (.integer(_, _, _, let range, let words), .integer(let number)):
      guard range.contains(number), words.isEmpty || words.contains(where: { $0.number == number }) else {
        throw refusal(found: "\(number)")
      }
    case (.text(let width), .text(let text)):
      guard text.utf8.count <= width ?? Self.longest else { throw refusal(found: "\(text.utf8.count) octets") }
    case (.octets(let width), .octets(let octets)):
      let fits = width.map { octets.count == $0 } ?? (octets.count <= Self.longest)
      guard fits else { throw refusal(found: "\(octets.count) octets") }
    case (.integer, .text(let text)), (.octets, .text(let text)): return try self.value(of: text)
    default: throw refusal(found: "\(value)")
    }
    return value
  }

  private func refusal(found: String) -> FieldError {
    FieldError(field: name, expected: "expected \(expectation), found \(found)")
  }

  /// Encodes `value`.
  func encode(_ value: FieldValue) throws(FieldError) -> Data {
    switch (kind, try checked(value)) {
    case (.integer(let width, let order, _, _, _), .integer(let number)):
      return number.octets(width: width, order: order)
    case (.text(let width), .text(let text)):
      let octets = Data(text.utf8)
      return octets + Data(count: max(0, (width ?? 0) - octets.count))
    case (_, .octets(let octets)): return octets
    default: throw refusal(found: "\(value)")
    }
  }

  /// Decodes `octets`; `nil` if they are not valid for this field.
  func decode(_ octets: Data) -> FieldReading? {
    switch kind {
    case .integer(_, let order, let isSigned, _, let words):
      guard let number = Self.integer(octets, order: order, isSigned: isSigned) else { return nil }
      let word = words.first { $0.number == number }
      return FieldReading(name: name, value: .integer(number), word: word?.text, unit: unit)
    case .text(let width):
      let end = width == nil ? octets.endIndex : (octets.lastIndex { $0 != 0 } ?? octets.startIndex - 1) + 1
      guard let text = String(validating: octets[..<end], as: UTF8.self) else { return nil }
      return FieldReading(name: name, value: .text(text), unit: unit)
    case .octets: return FieldReading(name: name, value: .octets(Data(octets)), unit: unit)
    }
  }

  private static func integer(_ octets: Data, order: ByteOrder, isSigned: Bool) -> Int? {
    if isSigned {
      // The sign is the first bit of the most significant octet, whatever the width.
      return Int64(octets: octets, order: order).map { Int($0) }
    }
    return UInt64(octets: octets, order: order).flatMap { Int(exactly: $0) }
  }
}
