import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import TestSupport
import Testing

/// Guessing a passkey.
@Suite("Passkey attacks", .keepsCapture)
struct PasskeyAttacks {
  @Test("S4 each attempt shows another passkey, and ends at the first wrong bit")
  func passkeys() async throws {
    var policy = SecurityPolicy()
    policy.wantsAuthentication = true
    let agent = TestAgent(.displayOnly) { _ in }
    let scene = try await AttackedPeripheral.start(policy: policy) {
      $0.behave(SecurityPolicy(ioCapability: .keyboardOnly))
    }
    scene.device.setPairingAgent(agent)
    scene.attacker.respond = { question in
      if case .enterPasskey = question.kind { .passkey("000000") } else { nil }
    }
    for _ in 0..<4 {
      await scene.pair()
      #expect(scene.attacker.commands.last?.first == 0x05 || scene.attacker.failures.last != nil)
      await scene.world.advance(by: .seconds(70))
    }
    let shown = agent.asked.compactMap { if case .displayPasskey(let digits) = $0.kind { digits } else { nil } }
    #expect(shown.count == 4 && Set(shown).count == 4)
    // A wrong guess is noticed after as many rounds as bits agree; all twenty rounds are never run.
    #expect(scene.attacker.commands.count { $0.first == 0x04 } < 4 * 19)
    #expect(scene.device.bonds.isEmpty)
  }

  @Test(
    "S4 a passkey that is wrong in one bit ends the pairing in that bit's round, and reveals nothing else",
    arguments: 0..<20)
  func wrongBit(_ bit: Int) async throws {
    var policy = SecurityPolicy()
    policy.fixedPasskey = SixDigits(lowest: 0)
    let scene = try await AttackedPeripheral.start(policy: policy) {
      $0.behave(SecurityPolicy(ioCapability: .keyboardOnly))
      $0.respond = { question in
        if case .enterPasskey = question.kind {
          SixDigits(UInt32(1) << UInt32(bit)).map { .passkey($0.digits) }
        } else {
          nil
        }
      }
    }
    scene.device.setPairingAgent(TestAgent(.displayOnly) { _ in })
    await scene.pair()
    let commands = scene.attacker.commands
    // This side commits itself in each round, also in the wrong one, and opens its commitments only in earlier rounds.
    #expect(commands.count { $0.first == 0x03 } == bit + 1)
    #expect(commands.count { $0.first == 0x04 } == bit)
    #expect(commands.last == [0x05, 0x04])
    #expect(commands.count == 2 + bit + 1 + bit + 1)
    #expect(scene.device.bonds.isEmpty)
    // The right ones from here on are too late.
    let before = scene.attacker.commands.count
    scene.attacker.sendCommand([0x03] + [UInt8](repeating: 1, count: 16))
    scene.attacker.sendCommand([0x04] + [UInt8](repeating: 1, count: 16))
    await scene.world.advance(by: .seconds(1))
    #expect(!scene.attacker.commands.dropFirst(before).contains { $0.first == 0x03 || $0.first == 0x04 })
    #expect(scene.device.bonds.isEmpty)
  }

  @Test("S4 the central, too, ends a pairing at the first commitment that does not open", arguments: 0..<20)
  func wrongBitOfPeripheral(_ bit: Int) async throws {
    var policy = SecurityPolicy()
    policy.fixedPasskey = SixDigits(lowest: 0)
    var rounds = 0
    let scene = try await AttackedCentral.start(policy: policy) {
      $0.behave(SecurityPolicy(ioCapability: .keyboardOnly))
      $0.respond = { question in
        if case .enterPasskey = question.kind { .passkey("000000") } else { nil }
      }
      $0.forge = { command in
        guard command.first == 0x03 else { return [command] }
        defer { rounds += 1 }
        return [rounds == bit ? Array(command.dropLast()) + [command[16] ^ 1] : command]
      }
    }
    scene.device.setPairingAgent(TestAgent(.displayOnly) { _ in })
    #expect(await scene.read() == .valueError("FF31", 5))
    let commands = scene.attacker.commands
    #expect(commands.count { $0.first == 0x03 } == bit + 1)
    #expect(commands.count { $0.first == 0x04 } == bit + 1)
    #expect(commands.last == [0x05, 0x04])
    #expect(scene.device.bonds.isEmpty)
  }
}
