import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Prepared writes of a hostile central.
@Suite("A3 prepared writes", .keepsCapture)
struct QueueAttacks {
  /// A Prepare Write Request for the program's value.
  private static func prepare(_ offset: Int, _ value: [UInt8]) -> [UInt8] {
    [0x16, 0x14, 0x00, UInt8(truncatingIfNeeded: offset), UInt8(truncatingIfNeeded: offset >> 8)] + value
  }

  private static let execute: [UInt8] = [0x18, 0x01]
  private static let cancel: [UInt8] = [0x18, 0x00]
  private static func refused(_ request: UInt8, _ code: UInt8) -> [UInt8] { [0x01, request, 0x14, 0x00, code] }

  @Test("A3 no prepared write reaches beyond 512 octets, by its offset, its length or both")
  func limit() async throws {
    let scene = try await AttackedShelf.start()
    _ = await scene.attacker.ask("020502")
    for (offset, count) in [(513, 0), (512, 1), (511, 2), (500, 13), (0, 512 + 1 - 5 + 5), (65_535, 1), (65_535, 512)] {
      let value = [UInt8](repeating: 7, count: min(count, 512))
      var pdus = [Self.prepare(offset, value)]
      // One octet more than fits into a PDU.
      if count > 512 { pdus.append(Self.prepare(512, [7])) }
      let answers = await scene.flood(pdus + [Self.execute], from: scene.attacker)
      #expect(answers.last == Self.refused(0x18, 0x0D), "\(count) octets at \(offset)")
      #expect(answers.dropLast().map(\.first) == pdus.map { _ in 0x17 })
    }
    #expect(scene.program.writes.isEmpty)
    // 512 octets are accepted, in two parts.
    let whole = [UInt8](0..<255) + [UInt8](0..<255) + [1, 2]
    let answers = await scene.flood(
      [Self.prepare(0, Array(whole[..<500])), Self.prepare(500, Array(whole[500...])), Self.execute],
      from: scene.attacker)
    #expect(answers.map(\.first) == [0x17, 0x17, 0x19])
    #expect(scene.program.writes.map { $0.flatMap(\.value) } == [whole])
  }

  @Test("A3 a full queue is refused by parts and by octets, and is empty again after cancel and execute")
  func full() async throws {
    let scene = try await AttackedShelf.start()
    for (value, room) in [([], 128), ([1], 128), ([UInt8](repeating: 2, count: 500), 8)] as [([UInt8], Int)] {
      if value.count > 18 { _ = await scene.attacker.ask("020502") }
      for end in [Self.cancel, Self.execute, Self.cancel] {
        let pdus = (0..<room + 30).map { Self.prepare($0 % 2, value) }
        let answers = await scene.flood(pdus, from: scene.attacker)
        #expect(answers.map(\.first) == (0..<room + 30).map { $0 < room ? 0x17 : 0x01 }, "\(value.count) octets")
        #expect(answers.dropFirst(room).allSatisfy { $0 == Self.refused(0x16, 0x09) })
        // Parts that are no long write of one attribute are a reliable write, which this attribute does not offer.
        let last = await scene.flood([end], from: scene.attacker)
        #expect(last == [end == Self.cancel ? [0x19] : Self.refused(0x18, 0x06)])
      }
    }
    #expect(scene.program.writes.isEmpty)
    #expect(await scene.serves(scene.attacker))
  }

  @Test("A3 a queue ends with its link and belongs to its client alone")
  func isolation() async throws {
    let scene = try await AttackedShelf.start(attackers: 2)
    let (first, second) = (scene.attackers[0], scene.attackers[1])
    // One client fills its queue; the other still has a whole one.
    _ = await scene.flood((0..<130).map { _ in Self.prepare(0, [0xBA, 0xD0]) }, from: first)
    #expect(await scene.flood([Self.prepare(0, Array("good".utf8))], from: second).map(\.first) == [0x17])
    #expect(await scene.flood([Self.cancel], from: first) == [[0x19]])
    #expect(await scene.flood([Self.execute], from: second) == [[0x19]])
    #expect(scene.program.writes.map { $0.flatMap(\.value) } == [Array("good".utf8)])
    // One client's prepared writes are neither executed nor seen by the other, nor by its own next link.
    #expect(await scene.flood([Self.prepare(0, [1])], from: first).map(\.first) == [0x17])
    #expect(await scene.flood([Self.execute], from: second) == [[0x19]])
    #expect(scene.program.writes.count == 1)
    try await scene.disconnect(first)
    try await scene.connect(first)
    #expect(await scene.flood([Self.execute], from: first) == [[0x19]])
    #expect(scene.program.writes.count == 1)
  }

  @Test(
    "A3 execute with undefined flags, and prepares of missing or read-only attributes, store nothing")
  func nonsense() async throws {
    let scene = try await AttackedShelf.start()
    for flags in UInt8(2)...255 {
      let answers = await scene.flood([[0x18, flags]], from: scene.attacker)
      #expect(answers == [[0x01, 0x18, 0, 0, 0x04]], "flags \(flags)")
    }
    for (handle, code) in [("0000", "01"), ("ffff", "01"), ("1200", "03"), ("1000", "03"), ("0300", "03")] {
      #expect(await scene.attacker.ask("16\(handle)000061") == ["0116\(handle)\(code)"])
    }
    #expect(await scene.attacker.ask("1801") == ["19"])
    #expect(scene.program.writes.isEmpty)
  }

  @Test("A3 a part that begins behind the end of one of the server's own values is refused, and changes nothing")
  func behindTheEnd() async throws {
    let scene = try await AttackedPeripheral.start()
    // The client configuration of FF32, two octets long.
    for offset in [3, 4, 255, 511, 512, 513, 65_535] {
      let octets = [UInt8(truncatingIfNeeded: offset), UInt8(truncatingIfNeeded: offset >> 8)]
      #expect(await scene.attacker.ask("161600" + octets.hexadecimal + "01").first?.hasPrefix("17") == true)
      #expect(await scene.attacker.ask("1801") == ["0118160007"], "offset \(offset)")
      #expect(await scene.attacker.ask("0a1600") == ["0b0000"])
    }
    // At the end zero octets change nothing, and with one octet more it is no valid configuration.
    for (part, answer) in [("", "19"), ("01", "011816000d")] {
      _ = await scene.attacker.ask("1616000200" + part)
      #expect(await scene.attacker.ask("1801") == [answer])
    }
    // Two parts form the whole.
    _ = await scene.attacker.ask("161600000001")
    _ = await scene.attacker.ask("161600010000")
    #expect(await scene.attacker.ask("1801") == ["19"])
    #expect(await scene.attacker.ask("0a1600") == ["0b0100"])
  }
}
