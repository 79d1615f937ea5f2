/// Channel selection algorithm 2 (Core, Vol 6 Part B 4.5.8.3).
enum ChannelSelection {
  /// The data channel, 0 to 36, of a connection event.
  static func channel(event: UInt16, accessAddress: UInt32, map: UInt64) -> UInt8 {
    let identifier = UInt16(truncatingIfNeeded: accessAddress >> 16) ^ UInt16(truncatingIfNeeded: accessAddress)
    var number = event ^ identifier
    for _ in 0..<3 { number = multiplyAdd(permuted(number), identifier) }
    number ^= identifier
    let unmapped = UInt8(number % 37)
    if map >> UInt64(unmapped) & 1 == 1 { return unmapped }
    let used = (0..<37).filter { map >> UInt64($0) & 1 == 1 }
    guard !used.isEmpty else { return unmapped }
    return UInt8(used[used.count * Int(number) >> 16])
  }

  /// Reverses the bits of each octet.
  private static func permuted(_ value: UInt16) -> UInt16 {
    var result: UInt16 = 0
    for bit in 0..<8 {
      if value >> UInt16(bit) & 1 == 1 { result |= 1 << UInt16(7 - bit) }
      if value >> UInt16(bit + 8) & 1 == 1 { result |= 1 << UInt16(15 - bit) }
    }
    return result
  }

  private static func multiplyAdd(_ left: UInt16, _ right: UInt16) -> UInt16 { left &* 17 &+ right }
}
