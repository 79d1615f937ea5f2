import BLEReports
import Foundation

/// How a characteristic's value is to be understood (Characteristic Presentation Format, Core, Vol 3 Part G 3.3.3.5).
struct PresentationFormat {
  private let format: UInt8
  private let exponent: Int8
  private let unit: UInt16

  /// - Parameter octets: `nil` is returned where they are too few.
  init?(_ octets: Data) {
    let octets = Array(octets)
    guard octets.count >= 7 else { return nil }
    format = octets[0]
    exponent = Int8(bitPattern: octets[1])
    unit = UInt16(octets[2]) | UInt16(octets[3]) << 8
  }

  var words: String {
    let number = String(unit, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: 4 - number.count) + number
    return [
      Self.formats[format] ?? "format \(format)", exponent == 0 ? nil : "times 10^\(exponent)",
      unit == 0x2700 ? "without a unit" : "unit \(Self.units[unit] ?? "0x\(padded)")",
    ].compactMap(\.self).joined(separator: ", ")
  }

  /// Assigned Numbers 2.4.1.
  private static let formats: [UInt8: String] = [
    0x01: "boolean", 0x02: "uint2", 0x03: "uint4", 0x04: "uint8", 0x05: "uint12", 0x06: "uint16", 0x07: "uint24",
    0x08: "uint32", 0x09: "uint48", 0x0A: "uint64", 0x0B: "uint128", 0x0C: "int8", 0x0D: "int12", 0x0E: "int16",
    0x0F: "int24", 0x10: "int32", 0x11: "int48", 0x12: "int64", 0x13: "int128", 0x14: "float32", 0x15: "float64",
    0x16: "medfloat16", 0x17: "medfloat32", 0x18: "duint16", 0x19: "utf8", 0x1A: "utf16", 0x1B: "structure",
  ]

  /// The more usual ones of Assigned Numbers 3.5.
  private static let units: [UInt16: String] = [
    0x2701: "m", 0x2702: "kg", 0x2703: "s", 0x2704: "A", 0x2705: "K", 0x2722: "Hz", 0x2723: "N", 0x2724: "Pa",
    0x2725: "J", 0x2726: "W", 0x2728: "V", 0x272F: "°C", 0x2731: "lx", 0x2763: "°", 0x27AD: "%", 0x27AF: "beats/min",
  ]
}
