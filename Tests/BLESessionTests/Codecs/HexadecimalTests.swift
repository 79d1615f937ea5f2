import BLESession
import Foundation
import Testing

@Suite struct HexadecimalTests {
  @Test("R4.10 octets become digits in both cases and with separators")
  func encoding() {
    let octets: [UInt8] = [0x00, 0x0A, 0x1B, 0xFF]
    #expect(Hexadecimal.encode(octets) == "000a1bff")
    #expect(Hexadecimal.encode(octets, style: .address) == "00:0A:1B:FF")
    #expect(Hexadecimal.encode(octets, style: .spaced) == "00 0A 1B FF")
    #expect(Hexadecimal.encode([UInt8]()) == "")
  }

  @Test(
    "R4.10 digits become octets, whatever the case and the separators",
    arguments: ["000a1bff", "000A1BFF", "00:0A:1b:FF", "00 0a 1B ff", "0x000a1bff", "00-0A-1B-FF", "00, 0a, 1b, ff\n"])
  func decoding(text: String) throws {
    #expect(try Hexadecimal.decode(text) == Data([0x00, 0x0A, 0x1B, 0xFF]))
  }

  @Test("R4.10 X6 an odd number of digits is refused, or has a zero in front by request")
  func oddLength() throws {
    #expect(throws: Hexadecimal.DecodingError.oddLength(digits: 3)) { try Hexadecimal.decode("abc") }
    #expect(try Hexadecimal.decode("abc", oddLength: .leadingZero) == Data([0x0A, 0xBC]))
    #expect(try Hexadecimal.decode("a bc", oddLength: .leadingZero) == Data([0x0A, 0xBC]))
  }

  @Test("R4.10 X6 a character that is no digit is reported with its place")
  func mistakes() {
    #expect(throws: Hexadecimal.DecodingError.notADigit(character: "g", offset: 3)) { try Hexadecimal.decode("00 g0") }
    #expect(throws: Hexadecimal.DecodingError.notADigit(character: "x", offset: 3)) { try Hexadecimal.decode("0x0x00") }
    #expect(throws: Hexadecimal.DecodingError.notADigit(character: "１", offset: 0)) { try Hexadecimal.decode("１１") }
    #expect(throws: Hexadecimal.DecodingError.separatorInsideOctet(offset: 1)) { try Hexadecimal.decode("0:001") }
    #expect(
      Hexadecimal.DecodingError.oddLength(digits: 3).localizedDescription
        == "3 hexadecimal digits do not make whole octets")
  }

  @Test("R4.10 every row of octets comes back")
  func roundTrip() throws {
    let octets = Data((0...255).map { UInt8($0) })
    for style in [Hexadecimal.Style.plain, .address, .spaced] {
      #expect(try Hexadecimal.decode(Hexadecimal.encode(octets, style: style)) == octets)
    }
  }

  @Test("R4.10 integers become digits of a given width")
  func integers() {
    #expect(Hexadecimal.encode(0x1B as UInt32, width: 4) == "0000001b")
    #expect(Hexadecimal.encode(0xABC as UInt16, width: 1, uppercase: true) == "ABC")
    #expect(Hexadecimal.encode(UInt64.max, width: 8) == "ffffffffffffffff")
    #expect(Hexadecimal.encode(0 as UInt8, width: 1) == "00")
  }
}
