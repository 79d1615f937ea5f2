import BLESession
import BLEText
import Foundation

/// The encoding of numbers in a value: kind, width and octet order.
package struct NumberFormat: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case unsigned, signed
    /// IEEE 754.
    case float
    /// ISO/IEEE 11073-20601: a mantissa and a decimal exponent, as in health devices. 16 bits (SFLOAT) or 32 bits (FLOAT).
    case medical
  }

  package let kind: Kind
  /// In octets.
  package let width: Int
  package let order: ByteOrder

  package init(_ kind: Kind, width: Int, order: ByteOrder = .littleEndian) {
    self.kind = kind
    self.width = width
    self.order = order
  }

  /// `uint8`, `int16le`, `uint24be`, `float32le`, `sfloat`, `float`: without a suffix the least significant octet is first, as in
  /// Bluetooth.
  package init?(name: String) {
    switch name {
    case "sfloat": self.init(.medical, width: 2)
    case "float": self.init(.medical, width: 4)
    default:
      var rest = name[...]
      let order: ByteOrder
      if rest.hasSuffix("be") { order = .bigEndian } else { order = .littleEndian }
      let isOrdered = rest.hasSuffix("be") || rest.hasSuffix("le")
      if isOrdered { rest = rest.dropLast(2) }
      let kinds: [(String, Kind, [Int])] = [
        ("uint", .unsigned, Array(1...8)), ("int", .signed, Array(1...8)), ("float", .float, [4, 8]),
      ]
      for (prefix, kind, widths) in kinds where rest.hasPrefix(prefix) {
        guard let bits = Int(rest.dropFirst(prefix.count)), bits % 8 == 0, widths.contains(bits / 8),
          String(bits) == rest.dropFirst(prefix.count), !(isOrdered && bits == 8)
        else { return nil }
        self.init(kind, width: bits / 8, order: order)
        return
      }
      return nil
    }
  }

  /// The numbers in the octets; `nil` if the length is not a multiple of the width.
  package func numbers(in octets: [UInt8]) -> [Number]? {
    guard !octets.isEmpty, octets.count.isMultiple(of: width) else { return nil }
    return stride(from: 0, to: octets.count, by: width).map { number(Array(octets[$0..<$0 + width])) }
  }

  /// One number of exactly this width.
  package func number(_ octets: [UInt8]) -> Number {
    let bits = UInt64(octets: octets, order: order) ?? 0
    return switch kind {
    case .unsigned: .unsigned(bits)
    case .signed: .signed(Int64(octets: octets, order: order) ?? 0)
    case .float where width == 4: .single(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case .float: .double(Double(bitPattern: bits))
    case .medical: .medical(MedicalNumber(bits: UInt32(truncatingIfNeeded: bits), isShort: width == 2))
    }
  }

  /// The octets of a typed number.
  package func octets(of text: Substring) throws(ArgumentValueError) -> [UInt8] {
    switch kind {
    case .unsigned, .signed: return try integer(text)
    case .float:
      guard let value = Double(text) else { throw ArgumentValueError("'\(String(text).inert)' is not a number") }
      let bits = width == 4 ? UInt64(Float(value).bitPattern) : value.bitPattern
      return Array(bits.octets(width: width, order: order))
    case .medical:
      guard let value = Double(text) else { throw ArgumentValueError("'\(String(text).inert)' is not a number") }
      guard let number = MedicalNumber(value, isShort: width == 2) else {
        throw ArgumentValueError("\(String(text).inert) has too many digits, or is too large or too small")
      }
      return Array(UInt64(number.bits).octets(width: width, order: order))
    }
  }

  private func integer(_ text: Substring) throws(ArgumentValueError) -> [UInt8] {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative ? text.dropFirst() : text
    let isHexadecimal = digits.lowercased().hasPrefix("0x")
    let magnitude = isHexadecimal ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
    guard let magnitude, digits.first != "+" else {
      throw ArgumentValueError("'\(String(text).inert)' is not an integer")
    }
    let bits = width * 8
    let largest = UInt64.max >> (64 - bits + (kind == .signed ? 1 : 0))
    // The range of negative numbers is larger by one.
    let limit = isNegative ? (kind == .signed ? largest + 1 : 0) : largest
    guard magnitude <= limit else {
      let least = kind == .signed ? "-\(largest + 1)" : "0"
      throw ArgumentValueError("\(String(text).inert) does not fit: \(least) to \(largest)")
    }
    let pattern = isNegative ? 0 &- magnitude : magnitude
    return Array(pattern.octets(width: width, order: order))
  }
}

/// A number decoded from a value.
package enum Number: Equatable, Sendable, CustomStringConvertible {
  case unsigned(UInt64)
  case signed(Int64)
  case single(Float)
  case double(Double)
  case medical(MedicalNumber)

  package var description: String {
    switch self {
    case .unsigned(let value): String(value)
    case .signed(let value): String(value)
    case .single(let value): value == value.rounded() && value.magnitude < 1e7 ? Double(value).plain : "\(value)"
    case .double(let value): value.plain
    case .medical(let value): value.description
    }
  }

  /// `null` for special values.
  package var json: JSONValue {
    switch self {
    case .unsigned(let value): Int(exactly: value).map(JSONValue.integer) ?? .string(String(value))
    case .signed(let value): .integer(Int(value))
    // The shortest text that means this number, not its neighbour in double precision.
    case .single(let value): .number(Double("\(value)") ?? .nan)
    case .double(let value): .number(value)
    case .medical(let value): .number(value.value ?? .nan)
    }
  }
}
