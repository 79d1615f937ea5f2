import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Offsets, ranges, groups and lengths that no honest central sends.
@Suite("A5 and A10 invalid requests", .keepsCapture)
struct AttributeAttacks {
  @Test("A10 blobs beyond the value are refused with 0x07, of the stack's values and of the program's")
  func offsets() async throws {
    let scene = try await AttackedShelf.start()
    for offset in [6, 7, 0x7FFF, 0xFFFF] {
      let little = [UInt8(truncatingIfNeeded: offset), UInt8(truncatingIfNeeded: offset >> 8)].hexadecimal
      #expect(await scene.attacker.ask("0c\(Shelf.fixed)\(little)") == ["010c\(Shelf.fixed)07"], "offset \(offset)")
      #expect(await scene.attacker.ask("0c\(Shelf.own)\(little)") == ["010c\(Shelf.own)07"], "offset \(offset)")
    }
    // At the end the answer is empty, and that is no error.
    #expect(await scene.attacker.ask("0c\(Shelf.fixed)0500") == ["0d"])
    #expect(await scene.attacker.ask("0c\(Shelf.own)0300") == ["0d"])
    #expect(await scene.attacker.ask("0c\(Shelf.own)0200") == ["0d" + Array("n".utf8).hexadecimal])
    #expect(await scene.serves(scene.attacker))
  }

  @Test("A10 ranges from handle 0, or reversed, are refused with 0x01, as is handle 0 itself")
  func ranges() async throws {
    let scene = try await AttackedShelf.start()
    let searches = ["04": "", "06": "002830ff", "08": "0328", "10": "0028"]
    for (opcode, rest) in searches.sorted(by: { $0.key < $1.key }) {
      for (first, last) in [("0000", "ffff"), ("0000", "0000"), ("0200", "0100"), ("ffff", "0100"), ("1200", "1100")] {
        let answer = await scene.attacker.ask(opcode + first + last + rest)
        #expect(answer == ["01\(opcode)\(first)01"], "\(first) to \(last)")
      }
      // A range behind all attributes holds nothing.
      #expect(await scene.attacker.ask(opcode + "00f0ffff" + rest) == ["01\(opcode)00f00a"])
    }
    for opcode in ["0a0000", "0c00000000", "120000aa", "1600000000aa", "0e00000000", "2000000000"] {
      #expect(await scene.attacker.ask(opcode) == ["01" + opcode.prefix(2) + "000001"])
    }
    #expect(await scene.serves(scene.attacker))
  }

  @Test(
    "A10 groups by a type that is no grouping type are refused with 0x10, in either width; a 128-bit form counts as the short one"
  )
  func groups() async throws {
    let scene = try await AttackedShelf.start()
    // The Bluetooth base UUID, except for the two octets that a short UUID stands for.
    let base = "fb349b5f8000008000100000"
    for type in ["0228", "0328", "0229", "30ff", "0000", "ffff", "000102030405060708090a0b0c0d0e0f", base + "02280000"]
    {
      #expect(await scene.attacker.ask("100100ffff" + type) == ["0110010010"], "\(type)")
    }
    let short = await scene.attacker.ask("100100ffff0028")
    #expect(short.first?.hasPrefix("1106") == true)
    #expect(await scene.attacker.ask("100100ffff" + base + "00280000") == short)
    // Three, four or five octets are no type at all.
    for type in ["28", "002800", "00280000", "0028000000"] {
      #expect(await scene.attacker.ask("100100ffff" + type) == ["0110000004"], "\(type)")
    }
  }

  @Test("A5 a client configuration is two octets: 0 to 64 others are refused with 0x0D, other bits with 0x13")
  func configurationLengths() async throws {
    let scene = try await AttackedShelf.start()
    _ = await scene.attacker.ask("028000")
    for count in 0...64 where count != 2 {
      let value = [UInt8](repeating: 1, count: count).hexadecimal
      #expect(await scene.attacker.ask("12\(Shelf.configuration)\(value)") == ["0112\(Shelf.configuration)0d"])
      // A long write has the same result.
      let prepared = await scene.attacker.ask("16\(Shelf.configuration)0000\(value)")
      #expect(prepared == ["17\(Shelf.configuration)0000\(value)"])
      let executed = await scene.attacker.ask("1801")
      #expect(executed == ["0118\(Shelf.configuration)0d"] || count == 0, "\(count) octets")
    }
    for bits in ["0400", "0800", "0001", "00ff", "ffff", "0500"] {
      #expect(await scene.attacker.ask("12\(Shelf.configuration)\(bits)") == ["0112\(Shelf.configuration)13"])
    }
    #expect(scene.program.centrals.isEmpty)
    #expect(await scene.attacker.ask("0a\(Shelf.configuration)") == ["0b0000"])
    #expect(await scene.attacker.ask("12\(Shelf.configuration)0100") == ["13"])
    #expect(scene.program.centrals.count == 1)
  }

  @Test("A5 client features of 1 to 64 octets are accepted, none are refused with 0x0D, and no bit can be cleared")
  func features() async throws {
    let scene = try await AttackedShelf.start()
    let features = "0b00"
    _ = await scene.attacker.ask("028000")
    #expect(await scene.attacker.ask("12\(features)") == ["0112\(features)0d"])
    for count in 1...64 {
      // Unknown bits, as a newer client may set them.
      let value = [UInt8](repeating: 0xFF, count: count).hexadecimal
      #expect(await scene.attacker.ask("12\(features)\(value)") == ["13"], "\(count) octets")
    }
    // Robust caching and several values in a notification are the features that this server uses.
    #expect(await scene.attacker.ask("0a\(features)") == ["0b05"])
    for bits in ["00", "01", "04", "02", "0000000000", "fa"] {
      #expect(await scene.attacker.ask("12\(features)\(bits)") == ["0112\(features)13"], "\(bits)")
      #expect(await scene.attacker.ask("0a\(features)") == ["0b05"])
    }
    #expect(await scene.attacker.ask("12\(features)05") == ["13"])
    #expect(await scene.serves(scene.attacker))
  }
}
