import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Values that a hostile peer sends unsolicited, or never confirms.
@Suite("A4 and A11 unsolicited values", .keepsCapture)
struct ValueAttacks {
  /// FF31 and FF32 of the open server, and an unassigned handle, as octets.
  private static let (fixed, own, nobody) = ("1600", "1800", "4000")

  /// The program's callbacks after the peer has sent `pdu`.
  private func told(_ pdu: String, in scene: AttackedExplorer) async -> [String] {
    scene.program.forget()
    scene.attacker.sendAttributePDU([UInt8](hexadecimal: pdu) ?? [])
    await scene.world.advance(by: .milliseconds(200))
    return scene.program.told
  }

  @Test("A4 several values in one notification reach the program only where all of it is valid")
  func severalValues() async throws {
    let scene = try await AttackedExplorer.start()
    scene.program.notify(true, "FF32")
    await scene.world.advance(by: .milliseconds(300))
    #expect(scene.program.told.last == "notifying FF32 true")
    let own = Self.own
    // Valid: two values of the same characteristic, one of them empty, and one of an unassigned handle.
    #expect(await told("23\(own)0100aa\(own)0000", in: scene) == ["value FF32 aa", "value FF32 "])
    #expect(
      await told("23\(own)0100aa\(Self.nobody)0200bbcc\(own)0100dd", in: scene) == ["value FF32 aa", "value FF32 dd"])
    for (what, pdu) in [
      ("no value", "23"), ("half a handle", "2318"), ("a handle alone", "23\(own)"), ("half a length", "23\(own)01"),
      ("a length and nothing", "23\(own)0100"), ("a length beyond the end", "23\(own)0200aa"),
      ("the longest length", "23\(own)ffffaa"), ("a second one beyond the end", "23\(own)0100aa\(own)0300bbcc"),
      ("a second one cut in its handle", "23\(own)0100aa18"),
      ("a second one cut in its length", "23\(own)0100aa\(own)01"),
      ("one octet too many", "23\(own)0100aabb"),
    ] {
      #expect(await told(pdu, in: scene) == [], "\(what)")
    }
    #expect(await told("23\(own)0100aa", in: scene) == ["value FF32 aa"])
    #expect(await told("1b\(own)bb", in: scene) == ["value FF32 bb"])
    #expect(scene.attacker.isConnected)
  }

  @Test(
    "A11 values without a subscription of the program are not delivered; indications are still confirmed")
  func unsubscribed() async throws {
    let scene = try await AttackedExplorer.start()
    for handle in [Self.fixed, Self.own, Self.nobody, "0000", "ffff", "0300"] {
      #expect(await told("1b\(handle)666f72676564", in: scene) == [])
      scene.attacker.forgetWhatCame()
      #expect(await told("1d\(handle)666f72676564", in: scene) == [])
      #expect(scene.attacker.attributePDUs == [[0x1E]])
      #expect(await told("23\(handle)0100aa\(handle)0100bb", in: scene) == [])
    }
    #expect(scene.program.characteristic("FF32")?.value == nil)
    // From the moment that the peer has agreed until the program unsubscribes, and no longer.
    scene.program.notify(true, "FF32")
    await scene.world.advance(by: .milliseconds(300))
    #expect(await told("1b\(Self.own)aa", in: scene) == ["value FF32 aa"])
    #expect(await told("1b\(Self.fixed)aa", in: scene) == [])
    scene.program.notify(false, "FF32")
    await scene.world.advance(by: .milliseconds(300))
    #expect(await told("1b\(Self.own)bb", in: scene) == [])
    // A refused subscription delivers nothing.
    scene.attacker.forgeAttribute = { $0.first == 0x12 ? [[0x01, 0x12, $0[1], $0[2], 0x11]] : [$1] }
    scene.program.notify(true, "FF32")
    await scene.world.advance(by: .milliseconds(300))
    #expect(scene.program.told.last == "notifying FF32 false error 17")
    #expect(await told("1b\(Self.own)cc", in: scene) == [])
    // No subscription outlives its link.
    scene.attacker.forgeAttribute = { [$1] }
    scene.program.notify(true, "FF32")
    await scene.world.advance(by: .milliseconds(300))
    try await scene.reconnect()
    #expect(await told("1b\(Self.own)dd", in: scene) == [])
  }

  @Test("A11 an indication that is never confirmed ends its link after 30 s, and other links' values are delivered")
  func neverConfirmed() async throws {
    let scene = try await AttackedShelf.start(attackers: 2)
    let (silent, good) = (scene.attackers[0], scene.attackers[1])
    #expect(await silent.ask("12\(Shelf.configuration)0200") == ["13"])
    #expect(await good.ask("12\(Shelf.configuration)0100") == ["13"])
    silent.forgetWhatCame()
    good.forgetWhatCame()
    for number in 1...3 { scene.program.update("value \(number)") }
    await scene.world.advance(by: .seconds(1))
    // One at a time to the central that must confirm, all of them to the other.
    #expect(silent.attributePDUs.map(\.first) == [0x1D])
    #expect(good.attributePDUs.map(\.first) == [0x1B, 0x1B, 0x1B])
    await scene.world.advance(by: .seconds(28))
    #expect(silent.isConnected && silent.attributePDUs.count == 1)
    await scene.world.advance(by: .seconds(3))
    #expect(!silent.isConnected)
    #expect(scene.program.centrals.count == 1)
    #expect(good.isConnected)
    good.forgetWhatCame()
    scene.program.update("still here")
    await scene.world.advance(by: .milliseconds(300))
    #expect(good.attributePDUs == [[0x1B, 0x14, 0x00] + Array("still here".utf8)])
    // A disconnected central may connect again.
    try await scene.connect(silent)
    #expect(await scene.serves(silent))
  }

  @Test("A11 unsolicited confirmations are ignored, and confirm nothing that is sent later")
  func confirmations() async throws {
    let scene = try await AttackedShelf.start()
    #expect(await scene.flood([[UInt8]](repeating: [0x1E], count: 100), from: scene.attacker) == [])
    #expect(await scene.attacker.ask("12\(Shelf.configuration)0200") == ["13"])
    scene.attacker.forgetWhatCame()
    scene.program.update("first")
    scene.program.update("second")
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.attributePDUs.count == 1)
    // Confirmations with extra octets are invalid.
    #expect(await scene.flood([[0x1E, 0x00], [0x1E, 0x14, 0x00]], from: scene.attacker) == [])
    #expect(await scene.flood([[0x1E]], from: scene.attacker) == [[0x1D, 0x14, 0x00] + Array("second".utf8)])
    #expect(await scene.flood([[0x1E], [0x1E], [0x1E]], from: scene.attacker) == [])
    #expect(await scene.serves(scene.attacker))
  }
}
