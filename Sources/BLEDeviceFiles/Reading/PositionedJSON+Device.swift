import BLESession
import BLEText
import CoreBluetooth

/// The kinds of values in device description files that JSON does not have.
extension PositionedJSON {
  /// A whole number, or a string of hexadecimal digits after `0x`.
  package func integer(_ range: ClosedRange<Int>, _ what: String) throws(PositionedError) -> Int {
    let number: Int?
    switch content {
    case .number(let value): number = Int(exactly: value)
    case .string(let text) where text.hasPrefix("0x"): number = Int(text.dropFirst(2), radix: 16)
    default: throw expected("\(what): a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    guard let number, range.contains(number) else {
      throw PositionedError(
        position, "expected \(what): a whole number from \(range.lowerBound) to \(range.upperBound), found \(shown)")
    }
    return number
  }

  /// Octets as hexadecimal digits.
  package func octets(_ counts: ClosedRange<Int>, _ what: String) throws(PositionedError) -> Data {
    guard case .string(let text) = content else { throw expected("\(what) as hexadecimal digits in a string") }
    let octets: Data
    do {
      octets = try Hexadecimal.decode(text)
    } catch {
      throw PositionedError(position, "expected \(what) as hexadecimal digits: \(error.reason)")
    }
    guard counts.contains(octets.count) else {
      let range =
        counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
      throw PositionedError(position, "expected \(what) of \(range) octets, found \(octets.count)")
    }
    return octets
  }

  package func uuid() throws(PositionedError) -> CBUUID {
    guard case .string(let text) = content else { throw expected("a UUID as a string") }
    guard let uuid = Self.uuid(text) else {
      throw PositionedError(
        position, "invalid UUID '\(text.inert)': expected 4, 8 or 36 hexadecimal characters such as 180F")
    }
    return uuid
  }

  /// `CBUUID(string:)` terminates the process for an invalid text, so the text is checked first.
  private static func uuid(_ text: String) -> CBUUID? {
    let digits = text.utf8.count == 36 ? (UUID(uuidString: text) == nil ? "" : "00") : text
    guard [4, 8].contains(text.utf8.count) || text.utf8.count == 36, !digits.isEmpty,
      digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    return CBUUID(string: text)
  }

  /// `180F/2A19`: a service and one of its characteristics.
  package func path() throws(PositionedError) -> CharacteristicPath {
    guard case .string(let text) = content else {
      throw expected("a service and its characteristic, such as \"180F/2A19\"")
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Self.uuid(String($0)) }
    guard parts.count == 2, let service = parts[0], let characteristic = parts[1] else {
      throw PositionedError(
        position, "expected a service and its characteristic, such as \"180F/2A19\", found '\(text.inert)'")
    }
    return CharacteristicPath(characteristic, in: service)
  }

  /// A value of a field, before the field is known.
  package func fieldValue() throws(PositionedError) -> FieldValue {
    switch content {
    case .number(let number):
      guard let integer = Int(exactly: number) else {
        throw PositionedError(position, "expected a whole number or a string, found \(shown)")
      }
      return .integer(integer)
    case .string(let text): return .text(text)
    default: throw expected("a whole number or a string")
    }
  }

  /// The value, if it is valid for `field`.
  func value(for field: DescribedField) throws(PositionedError) -> FieldValue {
    let value = try fieldValue()
    do {
      return try field.checked(value)
    } catch {
      throw PositionedError(position, error.errorDescription ?? error.expected)
    }
  }

  /// The members of an object that is a table, whose names the file chooses.
  package func table(_ what: String, most: Int) throws(PositionedError) -> [Member] {
    guard case .object(let members) = content else { throw expected("an object with \(what)") }
    guard members.count <= most else {
      throw PositionedError(position, "expected at most \(most) \(what), found \(members.count)")
    }
    return members
  }

  /// For messages: the value itself where it is short.
  private var shown: String {
    switch content {
    case .number(let number): number.magnitude < 1e15 && number == number.rounded() ? String(Int(number)) : "\(number)"
    case .string(let text): "'\(String(text.prefix(40)).inert)'"
    default: kind
    }
  }
}

extension Hexadecimal.DecodingError {
  fileprivate var reason: String { (errorDescription ?? "").inert }
}
