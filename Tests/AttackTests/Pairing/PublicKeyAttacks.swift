import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import TestSupport
import Testing

/// Public keys that would reveal a secret.
@Suite("Public key attacks", .keepsCapture)
struct PublicKeyAttacks {
  @Test(
    "S1 a public key that is no point of the curve is refused",
    arguments: ["zero", "beyond the field", "off the curve", "x alone"])
  func invalidCurve(_ kind: String) async throws {
    let scene = try await AttackedPeripheral.forged { command in
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
    // Nothing was computed with it from which a secret could be learnt.
    #expect(!scene.attacker.commands.contains { $0.first == 0x03 || $0.first == 0x0D })
    await scene.expectNothingGained()
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
      return [Self.mirrored(own)]
    }
    #expect(await scene.read() == .valueError("FF31", 5))
    #expect(attacker.commands.last?.first == 0x05)
    #expect(scene.device.bonds.isEmpty)
  }

  @Test("S2 a confirm value sent back to its sender is refused in legacy pairing")
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
    #expect(await scene.read() == .valueError("FF31", 5))
    #expect(attacker.commands.last == [0x05, 0x04])
    #expect(scene.device.bonds.isEmpty)
  }

  /// The specification's debug key (Core, Vol 3 Part H 2.3.5.6.1), as octets on the air.
  private static let debugKey: [UInt8] =
    [
      0xE6, 0x9D, 0x35, 0x0E, 0x48, 0x01, 0x03, 0xCC, 0xDB, 0xFD, 0xF4, 0xAC, 0x11, 0x91, 0xF4, 0xEF, 0xB9, 0xA5, 0xF9,
      0xE9, 0xA7, 0x83, 0x2C, 0x5E, 0x2C, 0xBE, 0x97, 0xF2, 0xD2, 0x03, 0xB0, 0x20,
    ] + [
      0x8B, 0xD2, 0x89, 0x15, 0xD0, 0x8E, 0x1C, 0x74, 0x24, 0x30, 0xED, 0x8F, 0xC2, 0x45, 0x63, 0x76, 0x5C, 0x15, 0x52,
      0x5A, 0xBF, 0x9A, 0x32, 0x63, 0x6D, 0xEB, 0x2A, 0x65, 0x49, 0x9C, 0x80, 0xDC,
    ]

  @Test(
    "S3 I11.15 the debug key, whose secret is public, and its mirror image are refused", arguments: [false, true])
  func debugKey(isMirrored: Bool) async throws {
    let key = isMirrored ? Self.mirrored([0x0C] + Self.debugKey) : [0x0C] + Self.debugKey
    let scene = try await AttackedPeripheral.forged { $0.first == 0x0C ? [key] : [$0] }
    #expect(scene.attacker.commands.last == [0x05, 0x0A])
    await scene.expectNothingGained()
    let central = try await AttackedCentral.start { $0.forge = { $0.first == 0x0C ? [key] : [$0] } }
    #expect(await central.read() == .valueError("FF31", 5))
    #expect(central.attacker.commands.last == [0x05, 0x0A])
    #expect(central.device.bonds.isEmpty)
  }

  @Test(
    "S3 I11.15 a peer that pairs correctly with the debug key or its mirror image gains nothing",
    arguments: [false, true])
  func soundDebugKey(isMirrored: Bool) async throws {
    // The specification's private key, and the order of the curve minus that key.
    let scalar =
      isMirrored
      ? "c0b6092a5c3aa0c88b364c1c2defc0af71e79a31bbd6e6eb9b20121c2f270a94"
      : "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd"
    let octets = try #require([UInt8](hexadecimal: scalar))
    let keyPair = try #require(P256PrivateKey(scalar: SecretKey(mostSignificantFirst: octets)))
    let scene = try await AttackedPeripheral.start { $0.behave() }
    scene.attacker.onLoop {
      $0.security?.outOfBand.local = LocalOutOfBandData(keyPair: keyPair, random: AESBlock(high: 1, low: 2))
    }
    await scene.pair()
    #expect(scene.attacker.commands.last == [0x05, 0x0A])
    await scene.expectNothingGained()
  }

  /// A Pairing Public Key command whose point has the other y: p - y, least significant octet first.
  private static func mirrored(_ command: [UInt8]) -> [UInt8] {
    let prime =
      [UInt8](repeating: 0xFF, count: 12) + [UInt8](repeating: 0, count: 12) + [1, 0, 0, 0] + [0xFF, 0xFF, 0xFF, 0xFF]
    var mirrored = Array(command.prefix(33))
    var borrow = 0
    for index in 0..<32 {
      let difference = Int(prime[index]) - Int(command[33 + index]) - borrow
      borrow = difference < 0 ? 1 : 0
      mirrored.append(UInt8(truncatingIfNeeded: difference))
    }
    return mirrored
  }
}
