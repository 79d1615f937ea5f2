import BLECrypto

/// Six decimal digits that users see: a passkey, or a number to compare. Not printed by accident.
public struct SixDigits: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// 0 to 999,999.
  public let value: UInt32

  /// `nil` above 999,999.
  public init?(_ value: UInt32) {
    guard value < Self.count else { return nil }
    self.value = value
  }

  /// The lowest six decimal digits of a number.
  public init(lowest number: UInt32) { value = SecurityToolbox.sixDigits(number) }

  /// Exactly six digits, leading zeros included; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt32(text) else {
      return nil
    }
    self.value = value
  }

  static let count: UInt32 = 1_000_000

  /// What the user sees, leading zeros included.
  public var digits: String {
    let text = String(value)
    return String(repeating: "0", count: 6 - text.count) + text
  }

  /// The passkey as the 128-bit number that the toolbox takes.
  var block: AESBlock { AESBlock(high: 0, low: UInt64(value)) }

  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
