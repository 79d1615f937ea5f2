import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import Foundation
import Testing

/// Hostile pairings over the radio. What the state machines do in each state is shown beside them; here is what a whole stack
/// makes of it.
@Suite("Pairing attacks", .keepsCapture)
struct PairingAttacks {
  /// The attacker is a central that pairs as it should, but for one command.
  private func forged(
    policy: SecurityPolicy = SecurityPolicy(), _ forge: @escaping ([UInt8]) -> [[UInt8]]
  ) async throws -> AttackedPeripheral {
    let scene = try await AttackedPeripheral.start(policy: policy) {
      $0.behave()
      $0.forge = forge
    }
    await scene.pair()
    return scene
  }

  private func expectNothingGained(_ scene: AttackedPeripheral) async {
    #expect(scene.device.bonds.isEmpty)
    #expect(scene.attacker.results.isEmpty)
    #expect(await scene.attacker.ask("0a" + AttackedPeripheral.secret) == AttackedPeripheral.refusal("05"))
  }

  @Test(
    "S1 a public key that is no point of the curve is refused",
    arguments: ["zero", "beyond the field", "off the curve", "x alone"])
  func invalidCurve(_ kind: String) async throws {
    let scene = try await forged { command in
      guard command.first == 0x0C else { return [command] }
      switch kind {
      case "zero": return [[0x0C] + [UInt8](repeating: 0, count: 64)]
      case "beyond the field": return [[0x0C] + [UInt8](repeating: 0xFF, count: 64)]
      case "off the curve": return [Array(command.dropLast()) + [command[64] ^ 1]]
      default: return [Array(command.prefix(33)) + [UInt8](repeating: 0, count: 32)]
      }
    }
    let answer = scene.attacker.commands.last ?? []
    #expect(answer == [0x05, 0x0A] || answer == [0x05, 0x0B])
    // Nothing was computed with it that could be learnt from.
    #expect(!scene.attacker.commands.contains { $0.first == 0x03 || $0.first == 0x0D })
    await expectNothingGained(scene)
  }

  @Test("S2 this side's own public key, or its mirror image, sent back to it is refused", arguments: [false, true])
  func reflected(isMirrored: Bool) async throws {
    let scene = try await AttackedCentral.start()
    let attacker = scene.attacker
    attacker.forge = { [unowned attacker] command in
      guard command.first == 0x0C, let own = attacker.commands.last(where: { $0.first == 0x0C }) else {
        return [command]
      }
      if !isMirrored { return [own] }
      // y becomes p - y: least significant octet first, as it travels.
      let prime =
        [UInt8](repeating: 0xFF, count: 12) + [UInt8](repeating: 0, count: 12) + [1, 0, 0, 0]
        + [0xFF, 0xFF, 0xFF, 0xFF]
      var mirrored = Array(own.prefix(33))
      var borrow = 0
      for index in 0..<32 {
        let difference = Int(prime[index]) - Int(own[33 + index]) - borrow
        borrow = difference < 0 ? 1 : 0
        mirrored.append(UInt8(truncatingIfNeeded: difference))
      }
      return [mirrored]
    }
    #expect(await scene.read() == .error("FF31", 5))
    #expect(attacker.commands.last?.first == 0x05)
    #expect(scene.device.bonds.isEmpty)
  }

  @Test("S2 a confirm value sent back to whoever made it is refused in legacy pairing")
  func reflectedConfirm() async throws {
    var policy = SecurityPolicy()
    policy.offersSecureConnections = false
    let scene = try await AttackedCentral.start(policy: policy)
    let attacker = scene.attacker
    attacker.forge = { [unowned attacker] command in
      guard command.first == 0x03, let own = attacker.commands.last(where: { $0.first == 0x03 }) else {
        return [command]
      }
      return [own]
    }
    #expect(await scene.read() == .error("FF31", 5))
    #expect(attacker.commands.last == [0x05, 0x04])
    #expect(scene.device.bonds.isEmpty)
  }

  /// The specification's debug key (Core, Vol 3 Part H 2.3.5.6.1), as it travels.
  private static let debugKey: [UInt8] =
    [
      0xE6, 0x9D, 0x35, 0x0E, 0x48, 0x01, 0x03, 0xCC, 0xDB, 0xFD, 0xF4, 0xAC, 0x11, 0x91, 0xF4, 0xEF, 0xB9, 0xA5, 0xF9,
      0xE9, 0xA7, 0x83, 0x2C, 0x5E, 0x2C, 0xBE, 0x97, 0xF2, 0xD2, 0x03, 0xB0, 0x20,
    ] + [
      0x8B, 0xD2, 0x89, 0x15, 0xD0, 0x8E, 0x1C, 0x74, 0x24, 0x30, 0xED, 0x8F, 0xC2, 0x45, 0x63, 0x76, 0x5C, 0x15, 0x52,
      0x5A, 0xBF, 0x9A, 0x32, 0x63, 0x6D, 0xEB, 0x2A, 0x65, 0x49, 0x9C, 0x80, 0xDC,
    ]

  @Test("S3 the debug key, whose secret everybody knows, is refused")
  func debugKey() async throws {
    let scene = try await forged { $0.first == 0x0C ? [[0x0C] + Self.debugKey] : [$0] }
    #expect(scene.attacker.commands.last?.first == 0x05)
    await expectNothingGained(scene)
  }

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
      if case .enterPasskey = question.kind { SixDigits("000000").map { .passkey($0) } } else { nil }
    }
    for _ in 0..<4 {
      await scene.pair()
      #expect(scene.attacker.commands.last?.first == 0x05 || scene.attacker.failures.last != nil)
      await scene.world.advance(by: .seconds(70))
    }
    let shown = agent.asked.compactMap { if case .displayPasskey(let digits) = $0.kind { digits } else { nil } }
    #expect(shown.count == 4 && Set(shown).count == 4)
    // A wrong guess is noticed after as many rounds as bits agree; never are all twenty played.
    #expect(scene.attacker.commands.count { $0.first == 0x04 } < 4 * 19)
    #expect(scene.device.bonds.isEmpty)
  }

  @Test("S5 failures are followed by Repeated Attempts, and a new address for each attempt does not help")
  func repeatedAttempts() async throws {
    let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03]
    let scene = try await AttackedPeripheral.start()
    scene.attacker.sendCommand(request)
    scene.attacker.sendCommand([0x04] + [UInt8](repeating: 0, count: 16))
    scene.attacker.sendCommand(request)
    await scene.world.advance(by: .milliseconds(300))
    #expect(scene.attacker.commands.map { $0.first } == [0x02, 0x05, 0x05])
    #expect(scene.attacker.commands.last == [0x05, 0x09])
    scene.attacker.disconnect()
    await scene.world.advance(by: .milliseconds(300))
    var answers: [[UInt8]] = []
    for number in 10..<18 as Range<UInt64> {
      let other = HostileDevice(scene.world, address: HostileDevice.address(number))
      await scene.world.advance(by: .milliseconds(100))
      other.connect(to: scene.device.address)
      await scene.world.advance(by: .milliseconds(300))
      other.sendCommand(request)
      other.sendCommand([0x04] + [UInt8](repeating: 0, count: 16))
      await scene.world.advance(by: .milliseconds(200))
      answers.append(other.commands.first ?? [])
      other.disconnect()
      await scene.world.advance(by: .milliseconds(100))
    }
    #expect(answers.first?.first == 0x02)
    // Who has never failed waits too.
    #expect(answers.last == [0x05, 0x09])
  }

  @Test(
    "S6 key sizes outside 7 to 16, and below the policy's, are refused",
    arguments: [0, 1, 6, 7, 15, 17, 255] as [UInt8])
  func keySize(_ size: UInt8) async throws {
    let scene = try await AttackedPeripheral.start()
    scene.attacker.sendCommand([0x01, 0x03, 0x00, 0x09, size, 0x03, 0x03])
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.commands.last == (size > 16 ? [0x05, 0x0A] : [0x05, 0x06]))
    await expectNothingGained(scene)
  }

  @Test("S7 there is no key before there is one: a link is not encrypted with zeros, nor in mid-pairing")
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
    await expectNothingGained(scene)
  }

  @Test(
    "S8 no command out of its order leads anywhere, and the one after it still pairs",
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
    await expectNothingGained(scene)
    await scene.world.advance(by: .seconds(130))
    try await scene.reconnect()
    await scene.pair()
    #expect(scene.attacker.results.count == 1)
  }

  @Test(
    "S9 the user is told the method by name, the bond remembers it, and a peer that changes its abilities is reported")
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
    await expectNothingGained(scene)
  }

  @Test("S10 protection that is required is not had from somebody who cannot show or type anything")
  func downgrade() async throws {
    var policy = SecurityPolicy()
    policy.minimumLevel = .authenticated
    let scene = try await AttackedPeripheral.start(policy: policy) { $0.behave() }
    scene.device.setPairingAgent(TestAgent(.keyboardDisplay))
    await scene.pair()
    #expect(scene.attacker.commands.last == [0x05, 0x03])
    await expectNothingGained(scene)
  }

  @Test("S10 in Secure Connections Only mode legacy pairing is refused")
  func secureConnectionsOnly() async throws {
    let scene = try await AttackedPeripheral.start(policy: .secureConnectionsOnly(ioCapability: .keyboardDisplay))
    scene.device.setPairingAgent(TestAgent(.keyboardDisplay))
    scene.attacker.sendCommand([0x01, 0x04, 0x00, 0x05, 0x10, 0x03, 0x03])
    await scene.world.advance(by: .seconds(1))
    #expect(scene.attacker.commands.last == [0x05, 0x03])
    await expectNothingGained(scene)
  }

  @Test("S12 keys for the other transport are never offered, whoever asks")
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

  @Test("S13 a resolving key of zeros resolves nothing, and another device's is not taken over")
  func resolvingKeys() async throws {
    let key = SecretKey(AESBlock(high: 0x0123_4567_89AB_CDEF, low: 0x0011_2233_4455_6677))
    let scene = try await AttackedPeripheral.start { $0.behave(resolvingKey: key) }
    await scene.pair()
    #expect(scene.device.bonds.map(\.isPrivate) == [true])
    scene.attacker.disconnect()
    await scene.world.advance(by: .seconds(1))
    for (number, copied) in [(2, key), (3, SecretKey(AESBlock.zero))] {
      let other = HostileDevice(scene.world, address: HostileDevice.address(UInt64(number)))
      other.behave(resolvingKey: copied, seed: UInt64(number))
      await scene.world.advance(by: .milliseconds(100))
      other.connect(to: scene.device.address)
      await scene.world.advance(by: .seconds(1))
      other.pair()
      await scene.world.advance(by: .seconds(2))
      #expect(other.results.count == 1)
      other.disconnect()
      await scene.world.advance(by: .seconds(1))
    }
    #expect(scene.device.bonds.map(\.address) == [1, 2, 3].map { HostileDevice.address($0) })
    #expect(scene.device.bonds.map(\.isPrivate) == [true, false, false])
  }

  @Test("S14 Security Requests without end are answered a few times, and the link lives on")
  func securityRequests() async throws {
    let scene = try await AttackedCentral.start { $0.local = nil }
    for _ in 0..<200 { scene.attacker.sendCommand([0x0B, 0x09]) }
    await scene.world.advance(by: .seconds(20))
    #expect(scene.attacker.commands.count <= 2 * SecurityManager.unsolicitedLimit)
    #expect(scene.attacker.isConnected)
  }

  @Test("S15 a pairing that stands still ends after 30 s, and there is no other on that link", arguments: 1...4)
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
    let scene = try await forged { $0.first == 0x0D ? [[0x0D] + [UInt8](repeating: 7, count: 16)] : [$0] }
    await scene.world.advance(by: .seconds(60))
    await scene.pair()
    let keys = scene.attacker.commands.filter { $0.first == 0x0C }
    #expect(keys.count == 2 && Set(keys).count == 2)
  }

  @Test("S17 no key and no passkey is in the log, at whatever level")
  func secretsInLogs() async throws {
    let agent = TestAgent(.displayOnly) { _ in }
    let scene = try await AttackedPeripheral.start(logLevel: .trace) {
      $0.behave(SecurityPolicy(ioCapability: .keyboardOnly))
      $0.local?.policy.wantsAuthentication = true
    }
    scene.device.setPairingAgent(agent)
    scene.attacker.respond = { _ in nil }
    await scene.pair()
    for request in agent.asked {
      if case .displayPasskey(let text) = request.kind, let digits = SixDigits(text) {
        scene.attacker.answer(.passkey(digits))
      }
    }
    await scene.world.advance(by: .seconds(8))
    #expect(scene.attacker.results.count == 1)
    let result = try #require(scene.attacker.results.first)
    var secrets = [
      result.keyAsCentral?.key, result.peerIdentityResolvingKey, result.localSigningKey, result.peerSigningKey,
    ].compactMap { $0 }.flatMap { key in
      [key.revealMostSignificantFirst().hexadecimal, key.revealLeastSignificantFirst().hexadecimal]
    }
    for request in agent.asked {
      if case .displayPasskey(let digits) = request.kind { secrets.append(digits) }
      #expect(!"\(request) \(request.kind)".isEmpty)
    }
    #expect(secrets.count == 9)
    let lines = scene.world.logLines.map { "\($0)".lowercased().filter { $0 != " " && $0 != ":" } }
    #expect(lines.count > 2)
    for line in lines { for secret in secrets { #expect(!line.contains(secret)) } }
    #expect(!"\(result)".contains("Storage"))
  }
}
