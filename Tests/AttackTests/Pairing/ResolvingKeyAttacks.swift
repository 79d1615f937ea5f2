import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Resolving keys of another device, or invalid ones.
@Suite("Resolving key attacks", .keepsCapture)
struct ResolvingKeyAttacks {
  @Test("S13 a resolving key of zeros resolves nothing, and another device's is not accepted")
  func resolvingKeys() async throws {
    let key = SecretKey(AESBlock(high: 0x0123_4567_89AB_CDEF, low: 0x0011_2233_4455_6677))
    let scene = try await AttackedPeripheral.start { $0.behave(resolvingKey: key) }
    await scene.pair()
    #expect(scene.device.bonds.map(\.isPrivate) == [true])
    await scene.attacker.leave()
    for (number, copied) in [(2, key), (3, SecretKey(AESBlock.zero))] {
      let other = HostileDevice(scene.world, address: HostileDevice.address(UInt64(number)))
      other.behave(resolvingKey: copied, seed: UInt64(number))
      await other.pair(with: scene.device.address)
      #expect(other.results.count == 1)
      await other.leave()
    }
    #expect(scene.device.bonds.map(\.address) == [1, 2, 3].map { HostileDevice.address($0) })
    #expect(scene.device.bonds.map(\.isPrivate) == [true, false, false])
  }

  @Test(
    "S13 a copied key, or one of zeros, distributed from a private address, does not change later scan results",
    arguments: [false, true])
  func scanning(isZero: Bool) async throws {
    let key = SecretKey(AESBlock(high: 0x0123_4567_89AB_CDEF, low: 0x0011_2233_4455_6677))
    let handedOut = isZero ? SecretKey(AESBlock.zero) : key
    let scene = try await AttackedPeripheral.start { $0.behave(resolvingKey: key) }
    await scene.pair()
    await scene.attacker.leave()
    // From a private address that no key has made: the identity that it claims is its own.
    let hidden = HostileDevice(scene.world, address: DeviceAddress(0x4000_0000_0042, kind: .random))
    let entropy = SeededEntropy(seed: 9)
    hidden.local = LocalSecurity(
      policy: SecurityPolicy(),
      identity: LocalIdentity(address: HostileDevice.address(2), identityResolvingKey: handedOut), entropy: entropy)
    await hidden.pair(with: scene.device.address)
    #expect(hidden.results.count == 1)
    #expect(scene.device.bonds.map(\.address) == [1, 2].map { HostileDevice.address($0) })
    #expect(scene.device.bonds.map(\.isPrivate) == [true, false])
    await hidden.leave()

    let scout = CentralApp(scene.device.options)
    scout.scanWhenPoweredOn(allowingDuplicates: true)
    /// Which devices are discovered when this address advertises.
    func heard(_ address: DeviceAddress) async -> UUID? {
      scout.forget()
      let speaker = HostileDevice(scene.world, address: address)
      await scene.world.advance(by: .milliseconds(100))
      speaker.advertise("speaker")
      await scene.world.advance(by: .seconds(2))
      speaker.cutPower()
      let identifiers = Set(scout.sightings.map(\.peripheral.identifier))
      #expect(identifiers.count == 1)
      return identifiers.first
    }
    let bonded = await heard(HostileDevice.address(1))
    let byItsKey = await heard(IdentityResolver(irk: key).makeAddress(entropy))
    #expect(bonded != nil && byItsKey == bonded)
    let claimed = await heard(HostileDevice.address(2))
    #expect(claimed != bonded)
    // Addresses that look as if made by a key of zeros belong to none of them, and each is another device.
    let cipher = AES128(key: SecretKey(AESBlock.zero))
    var strangers: [UUID?] = []
    for prand in [0x41_2345, 0x52_3456] as [UInt32] {
      let value = UInt64(prand) << 24 | UInt64(SecurityToolbox.ah(cipher, prand))
      strangers.append(await heard(DeviceAddress(value, kind: .random)))
    }
    #expect(Set(strangers + [bonded, claimed]).count == 4)
    // A scan with more devices than it remembers still distinguishes them.
    #expect(await heard(HostileDevice.address(1)) == bonded)
    #expect(await heard(HostileDevice.address(2)) == claimed)
  }
}
