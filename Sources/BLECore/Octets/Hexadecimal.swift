extension Sequence<UInt8> {
  /// The octets as lower-case hexadecimal digits without separators.
  public var hexadecimal: String {
    // Values of characteristics are frequent: after this point nothing is generic, and the text is made in one piece.
    withContiguousStorageIfAvailable(hexadecimalText) ?? Array(self).withUnsafeBufferPointer(hexadecimalText)
  }
}

private func hexadecimalText(_ octets: UnsafeBufferPointer<UInt8>) -> String {
  String(unsafeUninitializedCapacity: octets.count * 2) { digits in
    for (index, octet) in octets.enumerated() {
      digits.initializeElement(at: index * 2, to: hexadecimalDigit(octet >> 4))
      digits.initializeElement(at: index * 2 + 1, to: hexadecimalDigit(octet & 0x0F))
    }
    return octets.count * 2
  }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

extension [UInt8] {
  /// Parses hexadecimal digits of either case, without separators; `nil` for any other text.
  public init?(hexadecimal text: some StringProtocol) {
    self.init()
    var high: UInt8?
    for character in text.utf8 {
      let digit: UInt8
      switch character {
      case 0x30...0x39: digit = character - 0x30
      case 0x41...0x46: digit = character - 0x37
      case 0x61...0x66: digit = character - 0x57
      default: return nil
      }
      if let first = high {
        append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    if high != nil { return nil }
  }
}
