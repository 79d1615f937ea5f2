import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Peers that repeatedly indicate changed services, or never confirm such an indication.
@Suite("A12 changed services", .keepsCapture)
struct ServiceChangedAttacks {
  /// Indications of Service Changed: everything, one service, invalid ranges.
  private static let changed: [UInt8] = [0x1D, 0x08, 0x00, 0x01, 0x00, 0xFF, 0xFF]
  private static let partly: [UInt8] = [0x1D, 0x08, 0x00, 0x13, 0x00, 0x1A, 0x00]

  private func modifications(_ scene: AttackedExplorer) -> Int { scene.program.told.count { $0.hasPrefix("modified") } }

  @Test(
    "A12 indications with every answer and a hundred a second: callbacks come at a bounded rate, and discovery completes",
    arguments: [0, 1])
  func storm(_ kind: Int) async throws {
    let scene = try await AttackedExplorer.start()
    #expect(scene.program.isWalkSound)
    await scene.world.advance(by: .seconds(1))
    let change = kind == 0 ? Self.changed : Self.partly
    scene.program.reactions["modified"] = { [unowned program = scene.program] in program.walk() }
    scene.program.forget()
    scene.attacker.forgetWhatCame()
    scene.attacker.forgeAttribute = { [change, $1, change] }
    var soundWalks = 0
    for _ in 0..<300 {
      for _ in 0..<10 { scene.attacker.sendAttributePDU(change) }
      await scene.world.advance(by: .milliseconds(100))
      if scene.program.isWalked { soundWalks += 1 }
    }
    // For half a minute: each change is confirmed, few are reported, and most of the time the database is known.
    #expect(scene.attacker.isConnected)
    #expect((2...12).contains(modifications(scene)), "\(modifications(scene))")
    #expect(soundWalks > 200)
    #expect(scene.attacker.attributePDUs.count { $0 == [0x1E] } > 2_500)
    #expect(scene.attacker.attributePDUs.count { $0 != [0x1E] } < 200)
    // The state after the last change counts, at the latest when it was reported.
    scene.attacker.forgeAttribute = { [$1] }
    await scene.world.advance(by: .seconds(60))
    #expect(scene.program.isWalked)
    scene.program.forget()
    scene.program.read("FF31")
    await scene.world.advance(by: .milliseconds(500))
    #expect(scene.program.told == ["value FF31 " + Array("honest".utf8).hexadecimal])
    // After some quiet a change is reported immediately again.
    await scene.world.advance(by: .seconds(120))
    scene.program.forget()
    scene.attacker.sendAttributePDU(change)
    await scene.world.advance(by: .milliseconds(100))
    #expect(modifications(scene) == 1)
  }

  @Test("A12 invalid indications are confirmed and change nothing")
  func nonsense() async throws {
    let scene = try await AttackedExplorer.start()
    await scene.world.advance(by: .seconds(1))
    scene.program.forget()
    for value in [[], [1], [1, 0], [1, 0, 0xFF], [0x20, 0, 0x10, 0], [0xFF, 0xFF, 0, 0], [1, 0, 0xFF, 0xFF, 0]]
      as [[UInt8]]
    {
      scene.attacker.forgetWhatCame()
      scene.attacker.sendAttributePDU([0x1D, 0x08, 0x00] + value)
      await scene.world.advance(by: .milliseconds(100))
      #expect(scene.attacker.attributePDUs == [[0x1E]], "\(value)")
    }
    #expect(scene.program.told.isEmpty)
  }

  @Test(
    "A12 a peer that answers Database Out Of Sync each time, with a new hash, causes a bounded number of requests")
  func outOfSync() async throws {
    let scene = try await AttackedExplorer.start()
    await scene.world.advance(by: .seconds(1))
    var hash: UInt8 = 0
    scene.attacker.forgeAttribute = { request, answer in
      // Read By Type for the hash: another one each time.
      if request.first == 0x08, request.suffix(2) == [0x2A, 0x2B] {
        hash &+= 1
        return [[0x09, 0x12, 0x0D, 0x00] + [UInt8](repeating: hash, count: 16)]
      }
      return request.first == 0x0A ? [[0x01, 0x0A, request[1], request[2], 0x12]] : [answer]
    }
    scene.program.reactions["modified"] = { [unowned program = scene.program] in program.walk() }
    scene.attacker.forgetWhatCame()
    scene.program.forget()
    for round in 1...200 {
      scene.program.read("FF31")
      await scene.world.advance(by: .milliseconds(100))
      #expect(scene.program.told.count { $0.hasPrefix("value FF31") } <= round)
    }
    #expect(scene.program.told.filter { $0.hasPrefix("value FF31") }.allSatisfy { $0 == "value FF31 error 18" })
    #expect(modifications(scene) <= 12, "\(modifications(scene))")
    // Each read, and the hash after it; and a discovery for each change that was reported.
    #expect(scene.attacker.attributePDUs.count < 2 * 200 + 12 * 15, "\(scene.attacker.attributePDUs.count)")
    // An honest peer again: everything is found.
    scene.attacker.forgeAttribute = { [$1] }
    await scene.world.advance(by: .seconds(60))
    scene.program.walk()
    await scene.world.advance(by: .seconds(2))
    scene.program.forget()
    scene.program.read("FF31")
    await scene.world.advance(by: .milliseconds(500))
    #expect(scene.program.isWalkSound)
    #expect(scene.program.told == ["value FF31 " + Array("honest".utf8).hexadecimal])
  }

  @Test("A12 a client that never confirms gets any number of changes as one indication, and is disconnected after 30 s")
  func unconfirmed() async throws {
    let scene = try await AttackedShelf.start(attackers: 2)
    let (silent, good) = (scene.attackers[0], scene.attackers[1])
    // Service Changed, and robust caching.
    for attacker in [silent, good] {
      #expect(await attacker.ask("1209000200") == ["13"])
      #expect(await attacker.ask("120b0001") == ["13"])
      attacker.forgetWhatCame()
    }
    for number in 0..<100 {
      let service = CBMutableService("FF60")
      scene.program.manager.add(service)
      await scene.world.advance(by: .milliseconds(20))
      scene.program.manager.remove(service)
      if number % 10 == 0 { good.sendAttributePDU([0x1E]) }
      await scene.world.advance(by: .milliseconds(20))
    }
    #expect(silent.attributePDUs.map(\.first) == [0x1D])
    #expect((2...12).contains(good.attributePDUs.count))
    // Until it is aware of the change, it is served only what it needs to find out, and values are held back.
    #expect(await silent.ask("0a" + Shelf.own) == ["010a000012"])
    for _ in 0..<3 {
      good.sendAttributePDU([0x1E])
      await scene.world.advance(by: .milliseconds(100))
    }
    await scene.world.advance(by: .seconds(40))
    #expect(!silent.isConnected)
    #expect(await scene.serves(good))
  }
}
