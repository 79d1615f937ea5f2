import Foundation
import Testing

@testable import ble

/// How values are written on the command line, and printed.
@Suite("Formats of values")
struct ValueFormatTests {
  private func format(_ name: String) throws -> ValueFormat { try ValueFormat(argument: name) }

  @Test(
    "A value is written in its format, and read back",
    arguments: [
      ("uint8", "255", [0xFF]), ("int8", "-1", [0xFF]), ("int8", "-128", [0x80]), ("uint16le", "0x1234", [0x34, 0x12]),
      ("uint16be", "0x1234", [0x12, 0x34]), ("uint16", "258", [2, 1]), ("int16le", "-2", [0xFE, 0xFF]),
      ("uint24be", "66051", [1, 2, 3]), ("int24le", "-2", [0xFE, 0xFF, 0xFF]),
      ("uint32le", "4294967295", [255, 255, 255, 255]),
      ("uint48be", "1", [0, 0, 0, 0, 0, 1]), ("uint64le", "18446744073709551615", [UInt8](repeating: 255, count: 8)),
      ("int64be", "-9223372036854775808", [0x80, 0, 0, 0, 0, 0, 0, 0]), ("uint8", "1 2 3", [1, 2, 3]),
      ("float32le", "1.5", [0, 0, 0xC0, 0x3F]), ("float32be", "-2", [0xC0, 0, 0, 0]),
      ("float64be", "1.5", [0x3F, 0xF8, 0, 0, 0, 0, 0, 0]), ("sfloat", "36.5", [0x6D, 0xF1]),
      ("sfloat", "-2", [0xFE, 0x0F]),
      ("sfloat", "120", [0x0C, 0x10]), ("float", "36.5", [0x6D, 0x01, 0, 0xFF]), ("sfloat", "0", [0, 0]),
      ("hex", "01:ff", [1, 0xFF]), ("base64", "AQL/", [1, 2, 0xFF]), ("utf8", "hé", [0x68, 0xC3, 0xA9]),
    ] as [(String, String, [UInt8])])
  func aValueIsWrittenInItsFormat(name: String, text: String, octets: [UInt8]) throws {
    let format = try format(name)
    #expect(try format.octets(of: text) == octets)
    if let shown = try format.text(of: octets) { #expect(try format.octets(of: shown) == octets, "\(shown)") }
  }

  @Test(
    "A value that does not fit its format is refused",
    arguments: [
      ("uint8", "256"), ("uint8", "-1"), ("int8", "128"), ("int8", "-129"), ("uint24be", "16777216"), ("uint16", "1.5"),
      ("uint16", ""), ("uint16", "+1"), ("uint64", "18446744073709551616"), ("int64", "9223372036854775808"),
      ("uint8", "0x"),
      ("float32", "one"), ("sfloat", "1e20"), ("sfloat", "1e-20"), ("base64", "A"), ("hex", "0"), ("uint8", "1;2"),
    ])
  func aValueThatDoesNotFitItsFormatIsRefused(name: String, text: String) throws {
    let format = try format(name)
    #expect(throws: ArgumentValueError.self) { try format.octets(of: text) }
  }

  @Test(
    "An unknown format is refused",
    arguments: [
      "uint7", "uint72", "uint8le", "int08", "uint", "float8", "sfloatbe", "hexx", "", "uint16xe", "uint016",
    ])
  func anUnknownFormatIsRefused(name: String) {
    #expect(throws: ArgumentValueError.self) { try ValueFormat(argument: name) }
  }

  @Test("Every name offered by help and completion is a format")
  func everyNameOfferedByHelpAndCompletionIsAFormat() throws {
    for name in ValueFormat.names { _ = try format(name) }
  }

  @Test("A value whose length is no multiple of the number's is reported")
  func aValueWhoseLengthIsNoMultipleOfTheNumbers() throws {
    #expect(throws: ToolError.self) { try format("uint16le").text(of: [1, 2, 3]) }
    #expect(throws: ToolError.self) { try format("uint16le").text(of: []) }
    #expect(try format("uint16le").text(of: [1, 0, 2, 0]) == "1 2")
  }

  /// IEEE 11073-20601: the meaning of the patterns behind the largest mantissa.
  @Test(
    "Medical numbers are shown exactly, and special values by name",
    arguments: [
      ([0xFE, 0x07], "infinity"), ([0xFF, 0x07], "not a number"), ([0x00, 0x08], "not at this resolution"),
      ([0x01, 0x08], "reserved"), ([0x02, 0x08], "-infinity"), ([0xFD, 0x07], "2045"), ([0x03, 0x08], "-2045"),
      ([0x72, 0x00], "114"), ([0x6C, 0xF1], "36.4"), ([0x01, 0x80], "0.00000001"), ([0x01, 0x70], "10000000"),
      ([0xFF, 0xFF, 0x7F, 0x00], "not a number"), ([0x02, 0x00, 0x80, 0x00], "-infinity"),
      ([0xA1, 0x0E, 0x00, 0xFE], "37.45"), ([0x01, 0x00, 0x00, 0x7F], "1e127"), ([0x01, 0x00, 0x00, 0x80], "1e-128"),
    ] as [([UInt8], String)])
  func medicalNumbersAreShownExactly(octets: [UInt8], shown: String) throws {
    #expect(try format(octets.count == 2 ? "sfloat" : "float").text(of: octets) == shown)
  }

  @Test("Every pattern of a short medical number is read and, where it is a number, written back with the same value")
  func everyPatternOfAShortMedicalNumberIsRead() {
    for bits in UInt32(0)...0xFFFF {
      let number = MedicalNumber(bits: bits, isShort: true)
      guard let value = number.value else { continue }
      #expect(MedicalNumber(value, isShort: true)?.value == value, "\(bits)")
    }
  }

  @Test(
    "Assigned values are printed as words",
    arguments: [
      ([0x41, 0x03], "2A01", "Heart Rate Belt (4103)"),
      (
        [0x06, 0, 0x0C, 0, 0, 0, 0xC8, 0], "2A04",
        "interval 7.50 to 15.00 ms, latency 0, timeout 2000 ms (06000c000000c800)"
      ),
      ([0x02], "2A06", "high alert (02)"),
      ([0xE8, 0x07, 2, 29, 23, 59, 8], "2A08", "2024-02-29 23:59:08 (e807021d173b08)"),
      ([0x00, 0x6D, 0x01, 0x00, 0xFF], "2A1C", "36.5 °C (006d0100ff)"),
      ([0x00, 0x78, 0, 0x50, 0, 0x5D, 0], "2A35", "120/80 mmHg, mean 93 (00780050005d00)"),
      ([0x1C, 72, 5, 0, 0, 4], "2A37", "72 beats a minute, no contact, 5 kJ, intervals 1000 ms (1c4805000004)"),
      (
        [0x01, 0x4C, 0x00, 0x01, 0x02, 0x23, 0x01], "2A50",
        "Apple, Inc., product 0x0201, version 1.2.3 (014c0001022301)"
      ),
      ([0x10, 0x27], "2A98", "50.000 kg (1027)"), ([0x40, 0x00], "2B18", "1.000000 V (4000)"),
      ([0xFF, 0xFF], "2A6F", "not known (ffff)"),
      ([0xFF, 0xFF, 0xFF], "2AFB", "not known (ffffff)"), ([0x00, 0x80], "2A6E", "not known (0080)"),
    ] as [([UInt8], String, String)])
  func assignedValuesArePrintedAsWords(octets: [UInt8], characteristic: String, shown: String) {
    #expect(AssignedValues.describe(octets, of: characteristic) == shown)
  }

  @Test("No value of a known characteristic traps, however it is truncated or randomised")
  func noValueOfAKnownCharacteristicTraps() {
    var generator = SystemRandomNumberGenerator()
    for characteristic in UInt16(0x2A00)...0x2B40 {
      let uuid = String(characteristic, radix: 16, uppercase: true)
      for length in 0...20 {
        let octets = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = AssignedValues.describe(octets, of: uuid)
        #expect(text.isInert || !octets.isEmpty && text.unicodeScalars.first == "\"", "\(uuid) \(octets)")
      }
    }
  }
}
