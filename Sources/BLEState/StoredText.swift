import BLECore

/// What the text files of bonds, peers and states have in common. Numbers are hexadecimal, the most significant digit first.
package enum StoredText {
  /// Parses a number of exactly `digits` digits.
  static func number(_ text: Substring, _ digits: Int) -> UInt64? {
    guard text.utf8.count == digits, text.utf8.first != 0x2B else { return nil }
    return UInt64(text, radix: 16)
  }

  /// Two words: `public` or `random`, and twelve digits.
  static func words(for address: DeviceAddress) -> String {
    (address.kind == .public ? "public " : "random ") + address.value.hexadecimal(12)
  }

  static func address(_ kind: Substring, _ digits: Substring) -> DeviceAddress? {
    guard let value = number(digits, 12), kind == "public" || kind == "random" else { return nil }
    return DeviceAddress(value, kind: kind == "public" ? .public : .random)
  }

  /// FNV-1a, 32 bits: detects accidental damage, not changes by an attacker who can write the file.
  package static func check(_ octets: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = 0x811C_9DC5
    for octet in octets { sum = (sum ^ UInt32(octet)) &* 0x0100_0193 }
    return sum
  }
}

extension UnsignedInteger {
  /// At least `digits` lower-case digits.
  func hexadecimal(_ digits: Int) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
  }
}
