import Foundation

/// Octets as hexadecimal digits, and back, as vendors' documents print them and users type them.
public enum Hexadecimal {
  /// The format of the output.
  public struct Style: Sendable, Hashable {
    /// `A` to `F` instead of `a` to `f`.
    public var uppercase: Bool
    /// The text between two octets; empty by default.
    public var separator: String

    /// Creates a style from the case of the digits and the separator.
    public init(uppercase: Bool = false, separator: String = "") {
      self.uppercase = uppercase
      self.separator = separator
    }

    /// `0a1b2c`.
    public static let plain = Style()
    /// `0A:1B:2C`, as for addresses.
    public static let address = Style(uppercase: true, separator: ":")
    /// `0A 1B 2C`, as in hex dumps.
    public static let spaced = Style(uppercase: true, separator: " ")
  }

  /// How an odd number of digits is decoded.
  public enum OddLength: Sendable, Hashable {
    /// As an error (the default): a digit is missing.
    case refused
    /// With a leading zero: `abc` is `0a bc`.
    case leadingZero
  }

  /// Why a text cannot be decoded.
  public enum DecodingError: Error, Sendable, Hashable {
    /// `character` is neither a digit nor a separator; `offset` counts characters from 0.
    case notADigit(character: Character, offset: Int)
    /// The number of digits is odd.
    case oddLength(digits: Int)
    /// A separator between the two digits of one octet; `offset` counts characters from 0.
    case separatorInsideOctet(offset: Int)
  }

  /// Returns the octets as text, two digits each.
  public static func encode(_ octets: some Sequence<UInt8>, style: Style = .plain) -> String {
    let digits = style.uppercase ? upperDigits : lowerDigits
    var text: [UInt8] = []
    text.reserveCapacity(octets.underestimatedCount * (2 + style.separator.utf8.count))
    var isFirst = true
    for octet in octets {
      if !isFirst { text.append(contentsOf: style.separator.utf8) }
      isFirst = false
      text.append(digits[Int(octet >> 4)])
      text.append(digits[Int(octet & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns an integer as digits, most significant first, padded with zeros to `width` octets.
  public static func encode(_ integer: some BinaryInteger & UnsignedInteger, width: Int, uppercase: Bool = false)
    -> String
  {
    let digits = String(integer, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, width * 2 - digits.count)) + digits
  }

  /// Returns the octets of a text in either case. A prefix `0x` is ignored, and `:`, `-`, `_`, `,` and white space may separate octets.
  /// - Throws: `DecodingError`.
  public static func decode(_ text: some StringProtocol, oddLength: OddLength = .refused) throws(DecodingError) -> Data
  {
    var digits: [UInt8] = []
    digits.reserveCapacity(text.utf8.count)
    // Positions of separators, as the number of digits before each: whether one is inside an octet depends on the total number.
    var separators: [(digits: Int, offset: Int)] = []
    let body = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    for (offset, character) in zip((text.count - body.count)..., body) {
      if let digit = character.hexDigitValue, character.isASCII {
        digits.append(UInt8(digit))
      } else if character.isWhitespace || ":-_,".contains(character) {
        separators.append((digits.count, offset))
      } else {
        throw .notADigit(character: character, offset: offset)
      }
    }
    let isOdd = !digits.count.isMultiple(of: 2)
    if isOdd, oddLength == .refused { throw .oddLength(digits: digits.count) }
    for separator in separators where !(separator.digits + (isOdd ? 1 : 0)).isMultiple(of: 2) && separator.digits > 0 {
      throw .separatorInsideOctet(offset: separator.offset)
    }
    if isOdd { digits.insert(0, at: 0) }
    return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  private static let lowerDigits = Array("0123456789abcdef".utf8)
  private static let upperDigits = Array("0123456789ABCDEF".utf8)
}

extension Hexadecimal.DecodingError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .notADigit(let character, let offset):
      "\(String(reflecting: character)) at character \(offset + 1) is not a hexadecimal digit"
    case .oddLength(let digits):
      "\(digits) hexadecimal digits do not make whole octets"
    case .separatorInsideOctet(let offset):
      "the separator at character \(offset + 1) is inside an octet"
    }
  }
}
