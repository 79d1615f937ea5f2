import BLECore
import Testing

@Suite("Octets as hexadecimal digits")
struct HexadecimalTests {
  @Test("I12 every octet has its two digits, in an array, a slice and a sequence without storage")
  func digits() {
    let octets = [UInt8](UInt8.min...UInt8.max)
    let digits = Array("0123456789abcdef")
    let expected = String(octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    #expect(octets.hexadecimal == expected)
    #expect(octets[16...].hexadecimal == String(expected.dropFirst(32)))
    #expect(octets.reversed().hexadecimal == Array(octets.reversed()).hexadecimal)
    #expect([UInt8]().hexadecimal.isEmpty)
    #expect([UInt8](hexadecimal: expected) == octets)
  }
}
