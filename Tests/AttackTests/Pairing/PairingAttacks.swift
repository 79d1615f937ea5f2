import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import Foundation
import TestSupport
import Testing

/// Hostile pairings over the radio. Other tests cover the state machines in each state; these cover a whole stack.
@Suite("Pairing attacks", .keepsCapture)
struct PairingAttacks {
  @Test(
    "S6 key sizes outside 7 to 16, and below the policy's, are refused",
    arguments: [0, 1, 6, 7, 15, 17, 255] as [UInt8])
  func keySize(_ size: UInt8) async throws {
    let scene = try await AttackedPeripheral.start()
    scene.attacker.sendCommand([0x01, 0x03, 0x00, 0x09, size, 0x03, 0x03])
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.commands.last == (size > 16 ? [0x05, 0x0A] : [0x05, 0x06]))
    await scene.expectNothingGained()
  }

  @Test("S7 no key is used before one is made: a link is not encrypted with zeros, nor during a pairing")
  func zeroKey() async throws {
    let scene = try await AttackedPeripheral.start()
    scene.attacker.encrypt(with: SecretKey(AESBlock.zero))
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.encryption.map(\.status) == [0x06])
    scene.attacker.sendCommand([0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03])
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.commands.last?.first == 0x02)
    scene.attacker.encrypt(with: SecretKey(AESBlock.zero))
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.encryption.map(\.status) == [0x06, 0x06])
    await scene.expectNothingGained()
  }

  @Test(
    "S8 no command out of order has an effect, and a pairing after it succeeds",
    arguments: 0...15 as ClosedRange<UInt8>)
  func outOfOrder(_ code: UInt8) async throws {
    let lengths: [UInt8: Int] = [
      0x01: 6, 0x02: 6, 0x03: 16, 0x04: 16, 0x05: 1, 0x06: 16, 0x07: 10, 0x08: 16, 0x09: 7, 0x0A: 16, 0x0B: 1, 0x0C: 64,
      0x0D: 16, 0x0E: 1,
    ]
    let scene = try await AttackedPeripheral.start { $0.behave() }
    let command = [code] + [UInt8](repeating: 3, count: lengths[code] ?? 5)
    scene.attacker.sendCommand(command)
    await scene.world.advance(by: .milliseconds(200))
    scene.attacker.sendCommand([0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03])
    scene.attacker.sendCommand(command)
    scene.attacker.sendCommand(command)
    await scene.world.advance(by: .seconds(1))
    await scene.expectNothingGained()
    await scene.world.advance(by: .seconds(130))
    try await scene.reconnect()
    await scene.pair()
    #expect(scene.attacker.results.count == 1)
  }

  @Test(
    "S9 the user gets the method by name, the bond records it, and a peer that changes its capabilities is reported")
  func methodConfusion() async throws {
    let agent = TestAgent(.displayYesNo) { $0.accept() }
    let scene = try await AttackedPeripheral.start { $0.behave(SecurityPolicy(ioCapability: .displayYesNo)) }
    scene.device.setPairingAgent(agent)
    scene.attacker.forge = { $0.first == 0x0D ? [[0x0D] + [UInt8](repeating: 0, count: 16)] : [$0] }
    await scene.pair()
    #expect(agent.asked.map(\.method) == [.numericComparison])
    await scene.world.advance(by: .seconds(70))
    scene.attacker.forge = { [$0] }
    scene.attacker.local?.policy = SecurityPolicy(ioCapability: .noInputNoOutput)
    await scene.pair()
    #expect(agent.capabilityChanges == 1)
    #expect(agent.asked.last?.method == .justWorks)
    #expect(scene.device.bonds.map(\.security.method) == [.justWorks])
    #expect(scene.device.bonds.first?.security.isAuthenticated == false)
  }

  @Test("S9 only the methods that are allowed are used")
  func allowedMethods() async throws {
    var policy = SecurityPolicy()
    policy.allowedMethods = [.numericComparison]
    let scene = try await AttackedPeripheral.start(policy: policy) { $0.behave() }
    await scene.pair()
    #expect(scene.attacker.commands.last == [0x05, 0x03])
    await scene.expectNothingGained()
  }

  @Test("S10 required authentication is refused for a peer that cannot show or type anything")
  func downgrade() async throws {
    var policy = SecurityPolicy()
    policy.minimumLevel = .authenticated
    let scene = try await AttackedPeripheral.start(policy: policy) { $0.behave() }
    scene.device.setPairingAgent(TestAgent(.keyboardDisplay))
    await scene.pair()
    #expect(scene.attacker.commands.last == [0x05, 0x03])
    await scene.expectNothingGained()
  }

  @Test("S10 in Secure Connections Only mode legacy pairing is refused")
  func secureConnectionsOnly() async throws {
    let scene = try await AttackedPeripheral.start(policy: .secureConnectionsOnly(ioCapability: .keyboardDisplay))
    scene.device.setPairingAgent(TestAgent(.keyboardDisplay))
    scene.attacker.sendCommand([0x01, 0x04, 0x00, 0x05, 0x10, 0x03, 0x03])
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.commands.last == [0x05, 0x03])
    await scene.expectNothingGained()
  }

  @Test("S12 keys for the other transport are never offered, whichever side requests them")
  func crossTransport() async throws {
    let scene = try await AttackedPeripheral.start()
    scene.attacker.sendCommand([0x01, 0x03, 0x00, 0x29, 0x10, 0x0F, 0x0F])
    await scene.world.advance(by: .seconds(1))
    let response = try #require(scene.attacker.commands.first { $0.first == 0x02 })
    #expect(response[5] & 0x08 == 0 && response[6] & 0x08 == 0)
    let central = try await AttackedCentral.start()
    _ = await central.read()
    let request = try #require(central.attacker.commands.first { $0.first == 0x01 })
    #expect(request[5] & 0x08 == 0 && request[6] & 0x08 == 0)
  }

  @Test("S14 endless Security Requests are answered a few times, and the link stays")
  func securityRequests() async throws {
    let scene = try await AttackedCentral.start { $0.local = nil }
    for _ in 0..<200 { scene.attacker.sendCommand([0x0B, 0x09]) }
    await scene.world.advance(by: .seconds(20))
    #expect(scene.attacker.commands.count <= 2 * SecurityManager.unsolicitedLimit)
    #expect(scene.attacker.isConnected)
  }

  @Test("S15 a pairing that stalls ends after 30 s, and there is no other on that link", arguments: 1...4)
  func standstill(after commands: Int) async throws {
    var sent = 0
    let scene = try await AttackedPeripheral.start {
      $0.behave()
      $0.forge = { command in
        sent += 1
        return sent <= commands ? [command] : []
      }
    }
    let agent = TestAgent()
    scene.device.setPairingAgent(agent)
    await scene.pair()
    await scene.world.advance(by: .seconds(27))
    #expect(agent.outcomes.isEmpty)
    await scene.world.advance(by: .seconds(4))
    #expect(agent.outcomes.count == 1)
    scene.attacker.forgetWhatCame()
    scene.attacker.sendCommand([0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03])
    await scene.world.advance(by: .seconds(5))
    #expect(scene.attacker.commands.isEmpty)
    #expect(scene.device.bonds.isEmpty)
  }

  @Test("S16 each pairing has a key pair of its own")
  func freshKeys() async throws {
    let scene = try await AttackedPeripheral.forged {
      $0.first == 0x0D ? [[0x0D] + [UInt8](repeating: 7, count: 16)] : [$0]
    }
    await scene.world.advance(by: .seconds(60))
    await scene.pair()
    let keys = scene.attacker.commands.filter { $0.first == 0x0C }
    #expect(keys.count == 2 && Set(keys).count == 2)
  }
}
