import BLECore

/// Values that the Bluetooth SIG has defined, in words.
enum AssignedValues {
  /// The value of a characteristic for people.
  static func describe(_ octets: [UInt8], of characteristic: String) -> String {
    let plain = ValueText(octets).description
    guard let short = BLEUUID(characteristic)?.short, let words = words(octets, of: short) else { return plain }
    return "\(words) (\(octets.hexadecimal))"
  }

  private static func words(_ octets: [UInt8], of characteristic: UInt16) -> String? {
    switch (characteristic, octets.count) {
    // Battery Level: a percentage.
    case (0x2A19, 1) where octets[0] <= 100: "\(octets[0]) %"
    // Tx Power Level: dBm, signed.
    case (0x2A07, 1): "\(Int8(bitPattern: octets[0])) dBm"
    // Heart Rate Measurement: flags first, then 8 or 16 bits.
    case (0x2A37, 2...) where octets[0] & 1 == 0: "\(octets[1]) beats a minute"
    case (0x2A37, 3...): "\(UInt16(octets[1]) | UInt16(octets[2]) << 8) beats a minute"
    default: nil
    }
  }
}
