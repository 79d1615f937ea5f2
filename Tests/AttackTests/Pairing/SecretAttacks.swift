import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import Foundation
import TestSupport
import Testing

/// What logs, answers and their timing reveal of secrets.
@Suite("Secret attacks", .keepsCapture)
struct SecretAttacks {
  @Test(
    "S17 no key and no passkey is in the log, at any level",
    arguments: [LogLevel.trace, .debug, .info, .notice, .warning, .error])
  func secretsInLogs(_ level: LogLevel) async throws {
    let agent = TestAgent(.displayOnly) { _ in }
    let scene = try await AttackedPeripheral.start(in: World(logLevel: level)) {
      $0.behave(SecurityPolicy(ioCapability: .keyboardOnly))
      $0.local?.policy.wantsAuthentication = true
    }
    scene.device.setPairingAgent(agent)
    scene.attacker.respond = { _ in nil }
    await scene.pair()
    for request in agent.asked {
      if case .displayPasskey(let digits) = request.kind { scene.attacker.answer(.passkey(digits)) }
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
    if level <= .info { #expect(!lines.isEmpty) }
    for line in lines { for secret in secrets { #expect(!line.contains(secret)) } }
    #expect(!"\(result)".contains("Storage"))
  }

  @Test(
    "S17 a wrong confirm value or check gets the same answer at the same moment, wherever it differs",
    arguments: [0x03, 0x0D] as [UInt8])
  func answersByPlace(_ code: UInt8) async throws {
    var classes: Set<[String]> = []
    for place in [0, 1, 7, 8, 15] {
      let scene = try await AttackedCentral.start {
        $0.forge = { command in
          guard command.first == code else { return [command] }
          var changed = command
          changed[1 + place] ^= 0x10
          return [changed]
        }
      }
      let start = scene.world.now
      scene.program.read("FF31")
      let attacker = scene.attacker
      try await scene.world.wait(within: .seconds(10)) { attacker.commands.last?.first == 0x05 }
      classes.insert(["\(scene.world.now - start)", attacker.commands.last?.hexadecimal ?? ""])
    }
    #expect(classes.count == 1)
  }

  /// Counts the octets of a value that a comparison reads.
  @Test("S17 signatures are compared to their end, wherever they differ, and each place counts")
  func signatures() {
    let signing = SignatureAlgorithm(csrk: SecretKey(AESBlock(high: 1, low: 2)))
    let message: [UInt8] = [0xD2, 0x18, 0, 1, 2, 3]
    let pdu = message + signing.signature(of: message, signCounter: 7)
    #expect(signing.verify(pdu[...]) == 7)
    for place in pdu.indices {
      for bit in 0..<8 {
        var forged = pdu
        forged[place] ^= 1 << bit
        #expect(signing.verify(forged[...]) == nil)
      }
    }
  }

  @Test("S17 blocks are compared by one function that has no branch in it, and each of their bits counts")
  func blocks() {
    let block = AESBlock(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    #expect(AESBlock.constantTimeEquals(block, block))
    for bit in 0..<64 {
      #expect(!AESBlock.constantTimeEquals(block, AESBlock(high: block.high ^ 1 << bit, low: block.low)))
      #expect(!AESBlock.constantTimeEquals(block, AESBlock(high: block.high, low: block.low ^ 1 << bit)))
    }
    #expect(!AESBlock.constantTimeEquals(block, AESBlock(high: block.high ^ 1, low: block.low ^ 1)))
  }

  @Test("S17 a peer's proofs are compared in constant time, in each file of the Security Manager")
  func comparisons() throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = package.appendingPathComponent("Sources/BLEHost/SMP")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let secret =
      #/(?i)(confirm|check|dhkey|nonce|mackey|longTermKey|temporaryKey|passkey)\w*(\.\w+)*\s*(==|!=)\s(?!nil)/#
    var comparisons = 0
    for file in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        comparisons += line.contains("constantTimeEquals") ? 1 : 0
        #expect(line.contains("stage ==") || line.firstMatch(of: secret) == nil, "\(file.lastPathComponent): \(line)")
      }
    }
    #expect(comparisons >= 5)
  }
}
