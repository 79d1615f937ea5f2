import BLESession
import Foundation
import Testing

@Suite struct ArithmeticTests {
  @Test("R4.10 negative intermediate results wrap modulo 256")
  func modulo() {
    #expect(Modulo256(-3).octet == 253)
    #expect(Modulo256(-256).octet == 0)
    #expect(Modulo256(Int.min).octet == 0)
    #expect((Modulo256(5) - 7 - 250).octet == 4)
    #expect((Modulo256(0x12) - 0x34 + 0x100).octet == 0xDE)
    #expect((Modulo256(200) * 3).octet == 88)
    #expect((-Modulo256(1)).octet == 255)
  }

  @Test("R4.10 sums, complements and exclusive or over octets")
  func sums() {
    let octets: [UInt8] = [0xFF, 0xFF, 0x03]
    #expect(Modulo256.sum(of: octets).octet == 0x01)
    #expect(Modulo256.complement(of: octets).octet == 0xFF)
    #expect(Modulo256.sum(of: octets + [Modulo256.complement(of: octets).octet]).octet == 0)
    #expect(Modulo256.exclusiveOr(of: octets).octet == 0x03)
  }

  @Test("R4.10 X6 exclusive or of rows of different length follows the stated rule")
  func exclusiveOr() throws {
    let (long, short): ([UInt8], [UInt8]) = ([0x01, 0x02, 0x03, 0x04, 0x05], [0xF0, 0x0F])
    #expect(try ExclusiveOr.combine(long, short, rule: .shorter) == Data([0xF1, 0x0D]))
    #expect(try ExclusiveOr.combine(long, short, rule: .zeroFilled) == Data([0xF1, 0x0D, 0x03, 0x04, 0x05]))
    #expect(try ExclusiveOr.combine(short, long, rule: .zeroFilled) == Data([0xF1, 0x0D, 0x03, 0x04, 0x05]))
    #expect(try ExclusiveOr.combine(long, short, rule: .repeatingKey) == Data([0xF1, 0x0D, 0xF3, 0x0B, 0xF5]))
    #expect(try ExclusiveOr.combine(short, long, rule: .repeatingKey) == Data([0xF1, 0x0D]))
    #expect(throws: ExclusiveOr.LengthError.differentLengths(5, 2)) {
      try ExclusiveOr.combine(long, short, rule: .equal)
    }
    #expect(throws: ExclusiveOr.LengthError.emptyKey) { try ExclusiveOr.combine(long, [], rule: .repeatingKey) }
    #expect(try ExclusiveOr.combine([], [], rule: .repeatingKey).isEmpty)
  }

  @Test("R4.10 integers of each width and order")
  func integers() {
    #expect(0x0102_0304.octets(width: 4, order: .bigEndian) == Data([1, 2, 3, 4]))
    #expect(0x0102_0304.octets(width: 3, order: .littleEndian) == Data([4, 3, 2]))
    #expect(Int8(-2).octets(width: 3, order: .bigEndian) == Data([0xFF, 0xFF, 0xFE]))
    #expect(UInt8(7).octets(width: 0, order: .littleEndian).isEmpty)
    #expect(UInt32(octets: [1, 2, 3], order: .bigEndian) == 0x010203)
    #expect(UInt16(octets: [1, 2], order: .littleEndian) == 0x0201)
    #expect(Int32(octets: [0xFE, 0xFF], order: .littleEndian) == -2)
    #expect(Int8(octets: [0x80], order: .bigEndian) == -128)
    #expect(UInt16(octets: [1, 2, 3], order: .bigEndian) == nil)
    #expect(UInt16(octets: [], order: .bigEndian) == nil)
  }
}
