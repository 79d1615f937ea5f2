import BLESession
import Foundation
import Testing

@Suite struct CyclicRedundancyCheckTests {
  /// The published check values: the result for the characters 123456789.
  private static let published: [String: UInt32] = [
    "CRC-8/AUTOSAR": 0xDF, "CRC-8/BLUETOOTH": 0x26, "CRC-8/CDMA2000": 0xDA, "CRC-8/DARC": 0x15, "CRC-8/DVB-S2": 0xBC,
    "CRC-8/GSM-A": 0x37, "CRC-8/I-432-1": 0xA1, "CRC-8/LTE": 0xEA, "CRC-8/MAXIM-DOW": 0xA1, "CRC-8/NRSC-5": 0xF7,
    "CRC-8/OPENSAFETY": 0x3E, "CRC-8/ROHC": 0xD0, "CRC-8/SAE-J1850": 0x4B, "CRC-8/SMBUS": 0xF4,
    "CRC-8/TECH-3250": 0x97, "CRC-8/WCDMA": 0x25,
    "CRC-16/ARC": 0xBB3D, "CRC-16/CDMA2000": 0x4C06, "CRC-16/DNP": 0xEA82, "CRC-16/EN-13757": 0xC2B7,
    "CRC-16/GENIBUS": 0xD64E, "CRC-16/IBM-3740": 0x29B1, "CRC-16/IBM-SDLC": 0x906E, "CRC-16/KERMIT": 0x2189,
    "CRC-16/MAXIM-DOW": 0x44C2, "CRC-16/MCRF4XX": 0x6F91, "CRC-16/MODBUS": 0x4B37, "CRC-16/SPI-FUJITSU": 0xE5CC,
    "CRC-16/UMTS": 0xFEE8, "CRC-16/USB": 0xB4C8, "CRC-16/XMODEM": 0x31C3,
    "CRC-24/BLE": 0xC25A56,
    "CRC-32/BZIP2": 0xFC89_1918, "CRC-32/CKSUM": 0x765E_7680, "CRC-32/ISCSI": 0xE306_9283,
    "CRC-32/ISO-HDLC": 0xCBF4_3926, "CRC-32/JAMCRC": 0x340B_C6D9, "CRC-32/MPEG-2": 0x0376_E6E7,
    "CRC-32/XFER": 0xBD0B_E338,
  ]

  @Test("R4.10 X6 each named check gives its published value", arguments: CyclicRedundancyCheck.named.map(\.name))
  func checkValues(name: String) throws {
    let algorithm = try #require(CyclicRedundancyCheck.named(name))
    #expect(algorithm.value(of: Data("123456789".utf8)) == Self.published[name])
  }

  @Test("R4.10 every published value belongs to a named check")
  func complete() {
    #expect(Set(CyclicRedundancyCheck.named.map(\.name)) == Set(Self.published.keys))
  }

  @Test("R4.10 X6 octets in pieces give the same check as in one call")
  func pieces() {
    let octets = (0...255).map { UInt8($0) }
    for algorithm in CyclicRedundancyCheck.named {
      var register = algorithm.start()
      for piece in [octets[0..<1], octets[1..<1], octets[1..<200], octets[200...]] {
        register = algorithm.update(register, with: piece)
      }
      #expect(algorithm.finish(register) == algorithm.value(of: octets))
    }
  }

  @Test("R4.10 names are found in any case and by their common aliases")
  func names() {
    #expect(CyclicRedundancyCheck.named("crc-8/maxim")?.name == "CRC-8/MAXIM-DOW")
    #expect(CyclicRedundancyCheck.named("CRC-16/CCITT-FALSE")?.name == "CRC-16/IBM-3740")
    #expect(CyclicRedundancyCheck.named("CRC-7/MMC") == nil)
  }

  @Test("impossible parameters are refused")
  func parameters() {
    #expect(CyclicRedundancyCheck(name: "", width: 7, polynomial: 9) == nil)
    #expect(CyclicRedundancyCheck(name: "", width: 33, polynomial: 9) == nil)
    #expect(CyclicRedundancyCheck(name: "", width: 8, polynomial: 0x107) == nil)
    #expect(CyclicRedundancyCheck(name: "", width: 12, polynomial: 0x80F)?.value(of: Data("123456789".utf8)) == 0xF5B)
  }

  @Test("R4.10 the file of checks passes")
  func sharedFile() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../Vectors/crc.json")
    let vectors = try JSONDecoder().decode(Vectors.self, from: try Data(contentsOf: file))
    try #require(!vectors.family.isEmpty && !vectors.crc8_maxim_dow.cases.isEmpty)
    for entry in vectors.family {
      let algorithm = try #require(
        CyclicRedundancyCheck(
          name: entry.name, width: entry.width, polynomial: number(entry.poly), initial: number(entry.initial),
          reflectsInput: entry.refin, reflectsOutput: entry.refout, finalExclusiveOr: number(entry.xorout)))
      #expect(algorithm.value(of: Data("123456789".utf8)) == number(entry.check), "\(entry.name)")
      #expect(CyclicRedundancyCheck.named(entry.name)?.value(of: [1, 2, 3]) == algorithm.value(of: [1, 2, 3]))
    }
    for entry in vectors.crc8_maxim_dow.cases {
      #expect(
        CyclicRedundancyCheck.maximDallas8.value(of: try Hexadecimal.decode(entry.data)) == number("0x" + entry.crc))
    }
  }

  private func number(_ text: String) -> UInt32 { UInt32(text.dropFirst(2), radix: 16) ?? 0 }

  private struct Vectors: Decodable {
    struct Entry: Decodable {
      var name, poly, initial, xorout, check: String
      var width: Int
      var refin, refout: Bool
      enum CodingKeys: String, CodingKey {
        case name, poly, xorout, check, width, refin, refout
        case initial = "init"
      }
    }
    struct Case: Decodable { var data, crc: String }
    struct Cases: Decodable { var cases: [Case] }
    var crc8_maxim_dow: Cases
    var family: [Entry]
  }
}
