import BLECore

/// Values that the Bluetooth SIG has defined, in words.
enum AssignedValues {
  /// The value of a characteristic for people.
  static func describe(_ octets: [UInt8], of characteristic: String) -> String {
    let plain = ValueText(octets).description
    guard let short = BLEUUID(characteristic)?.short, let words = words(octets, of: short) else { return plain }
    return "\(words) (\(octets.hexadecimal))"
  }

  /// Two octets, least significant first.
  private static func number(_ octets: [UInt8]) -> UInt16 { UInt16(octets[0]) | UInt16(octets[1]) << 8 }

  private static func hundredths(_ value: Int) -> String {
    let rest = String(value.magnitude % 100)
    let sign = value < 0 ? "-" : ""
    return "\(sign)\(value.magnitude / 100).\(rest.count == 1 ? "0" : "")\(rest)"
  }

  private static func words(_ octets: [UInt8], of characteristic: UInt16) -> String? {
    switch (characteristic, octets.count) {
    // Battery Level: a percentage.
    case (0x2A19, 1) where octets[0] <= 100: "\(octets[0]) %"
    // Tx Power Level: dBm, signed.
    case (0x2A07, 1): "\(Int8(bitPattern: octets[0])) dBm"
    // Heart Rate Measurement: flags first, then 8 or 16 bits.
    case (0x2A37, 2...) where octets[0] & 1 == 0: "\(octets[1]) beats a minute"
    case (0x2A37, 3...): "\(number(Array(octets[1...2]))) beats a minute"
    // Temperature: hundredths of a degree Celsius, signed. Humidity: hundredths of a percent.
    case (0x2A6E, 2): "\(hundredths(Int(Int16(bitPattern: number(octets))))) °C"
    case (0x2A6F, 2): "\(hundredths(Int(number(octets)))) %"
    default: nil
    }
  }
}
