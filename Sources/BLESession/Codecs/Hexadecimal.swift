import Foundation

/// Octets as hexadecimal digits, and back: what a vendor's document prints and what a person types.
public enum Hexadecimal {
  /// How digits are written.
  public struct Style: Sendable, Hashable {
    /// `A` to `F` instead of `a` to `f`.
    public var uppercase: Bool
    /// What stands between two octets; nothing by default.
    public var separator: String

    /// Digits of one case, with something or nothing between the octets.
    public init(uppercase: Bool = false, separator: String = "") {
      self.uppercase = uppercase
      self.separator = separator
    }

    /// `0a1b2c`.
    public static let plain = Style()
    /// `0A:1B:2C`, as addresses are printed.
    public static let address = Style(uppercase: true, separator: ":")
    /// `0A 1B 2C`, as dumps are printed.
    public static let spaced = Style(uppercase: true, separator: " ")
  }

  /// What an odd number of digits means.
  public enum OddLength: Sendable, Hashable {
    /// It is a mistake (the default): a digit was lost.
    case refused
    /// The first digit stands for an octet below 16: `abc` is `0a bc`.
    case leadingZero
  }

  /// Why a text is no row of octets.
  public enum DecodingError: Error, Sendable, Hashable {
    /// `character` is neither a digit nor a separator; `offset` counts characters from 0.
    case notADigit(character: Character, offset: Int)
    /// A number of digits that makes no whole octets.
    case oddLength(digits: Int)
    /// A separator between the two digits of one octet; `offset` counts characters from 0.
    case separatorInsideOctet(offset: Int)
  }

  /// The octets as text, two digits each.
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

  /// An integer as digits, most significant first, with zeros in front up to `width` octets.
  public static func encode(_ integer: some BinaryInteger & UnsignedInteger, width: Int, uppercase: Bool = false)
    -> String
  {
    let digits = String(integer, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, width * 2 - digits.count)) + digits
  }

  /// The octets that a text stands for. Both cases are read, `0x` may stand in front, and `:`, `-`, `_`, `,` and white space may
  /// separate octets.
  public static func decode(_ text: some StringProtocol, oddLength: OddLength = .refused) throws(DecodingError) -> Data
  {
    var digits: [UInt8] = []
    digits.reserveCapacity(text.utf8.count)
    // Where separators stood, as the number of digits before each: which are inside an octet depends on the whole length.
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
      "the separator at character \(offset + 1) stands inside an octet"
    }
  }
}
