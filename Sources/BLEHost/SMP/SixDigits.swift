import BLECore
import BLECrypto

/// Six decimal digits for the user: a passkey, or a number to compare. The description is redacted.
public struct SixDigits: Hashable, Sendable, Redacted {
  /// 0 to 999,999.
  public let value: UInt32

  /// Returns `nil` above 999,999.
  public init?(_ value: UInt32) {
    guard value < Self.count else { return nil }
    self.value = value
  }

  /// The lowest six decimal digits of a number.
  public init(lowest number: UInt32) { value = SecurityToolbox.sixDigits(number) }

  /// Parses exactly six digits, including leading zeros; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt32(text) else {
      return nil
    }
    self.value = value
  }

  static let count: UInt32 = 1_000_000

  /// The digits as shown to the user, including leading zeros.
  public var digits: String {
    let text = String(value)
    return String(repeating: "0", count: 6 - text.count) + text
  }

  /// The passkey as a 128-bit number for the security toolbox.
  var block: AESBlock { AESBlock(high: 0, low: UInt64(value)) }
}
