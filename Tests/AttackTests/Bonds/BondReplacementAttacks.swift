import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import BLEPairing
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Attacks that would replace the stored keys of another device by the attacker's.
@Suite("Bond replacement attacks", .keepsCapture)
struct BondReplacementAttacks {
  @Test("S11 a pairing under a bonded device's address does not replace its keys")
  func spoofedIdentity() async throws {
    let bonded = try await BondedDevices.start()
    try await bonded.disconnect()
    bonded.phone.cutPower()
    let spoofer = HostileDevice(bonded.world, address: bonded.phone.address)
    spoofer.behave()
    await spoofer.pair(with: bonded.sensor.address)
    // The sensor's user did not agree: nothing was replaced.
    #expect(spoofer.commands.last?.first == 0x05)
    #expect(bonded.sensor.bonds.map(\.address) == [bonded.phone.address])
    // A pairing that is broken off replaces nothing either.
    await bonded.world.advance(by: .seconds(70))
    spoofer.sendCommand([0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03])
    await bonded.world.advance(by: .milliseconds(200))
    spoofer.cutPower()
    await bonded.world.advance(by: .seconds(10))
    bonded.phone.restorePower()
    #expect(try await bonded.reconnect() == .value("FF31", "secret"))
  }

  @Test("S11 where the user agrees the new keys replace the old ones when they are complete")
  func agreedReplacement() async throws {
    let bonded = try await BondedDevices.start()
    let agent = TestAgent()
    bonded.sensor.setPairingAgent(agent)
    bonded.phone.forgetBonds()
    await bonded.world.advance(by: .seconds(2))
    #expect(try await bonded.reconnect() == .value("FF31", "secret"))
    #expect(
      agent.asked.map(\.kind).contains { if case .replaceBond(_, keptMethod: .justWorks) = $0 { true } else { false } })
    #expect(bonded.sensor.bonds.count == 1)
  }

  @Test(
    "S11 I11.22 a Just Works pairing under a bonded identity is refused at the Pairing Request: the peer gets no key"
  )
  func refusedAtOnce() async throws {
    let bonded = try await BondedDevices.start()
    try await bonded.disconnect()
    bonded.phone.cutPower()
    let peer = HostileDevice(bonded.world, address: bonded.phone.address)
    peer.behave()
    await peer.pair(with: bonded.sensor.address)
    #expect(peer.commands.map(\.first) == [0x05])
    #expect(peer.results.isEmpty && peer.failures.count == 1)
  }

  /// A device that pairs in either role under an address of its own and claims the identity of one of two bonded devices of
  /// the victim.
  private struct Impostor {
    let bonded: BondedDevices
    let attacker: HostileDevice
    let victim: Device
    let impersonated: Device
    let agent: TestAgent
    /// The victim's program that uses the impostor, where that is a peripheral.
    private var program: CentralApp?

    init(isCentral: Bool, isAuthenticated: Bool, replaces: Bool) async throws {
      bonded = try await BondedDevices.start()
      try await bonded.disconnect()
      (victim, impersonated) = isCentral ? (bonded.sensor, bonded.phone) : (bonded.phone, bonded.sensor)
      agent = TestAgent(isAuthenticated ? .displayYesNo : .noInputNoOutput) { request in
        if case .replaceBond = request.kind, !replaces { request.refuse() } else { request.accept() }
      }
      victim.setPairingAgent(agent)
      attacker = HostileDevice(bonded.world, address: HostileDevice.address(7))
      attacker.behave(SecurityPolicy(ioCapability: isAuthenticated ? .displayYesNo : .noInputNoOutput))
      attacker.local?.identity = LocalIdentity(
        address: impersonated.address, identityResolvingKey: .random(SeededEntropy(seed: 7)))
      if isCentral {
        await bonded.world.advance(by: .milliseconds(100))
        attacker.connect(to: victim.address)
        await bonded.world.advance(by: .seconds(1))
        attacker.pair()
      } else {
        attacker.server = HostileServer.make()
        attacker.advertise("Hostile")
        let program = CentralApp(victim.options, seeking: "Hostile")
        try await bonded.world.wait(within: .seconds(10)) { program.isWalked }
        program.read("FF31")
        self.program = program
      }
      await bonded.world.advance(by: .seconds(3))
    }
  }

  @Test(
    "S11 I11.6 a peer that claims a bonded identity never replaces it silently: the user is asked about that device",
    arguments: [true, false], [true, false])
  func claimedIdentity(isCentral: Bool, isAuthenticated: Bool) async throws {
    let scene = try await Impostor(isCentral: isCentral, isAuthenticated: isAuthenticated, replaces: false)
    let (bonded, victim, impersonated) = (scene.bonded, scene.victim, scene.impersonated)
    let question = try #require(
      scene.agent.asked.last { if case .replaceBond = $0.kind { true } else { false } }?.question)
    // The identity whose keys would be replaced, its name where that is known, and the address of the link.
    #expect(question.contains("\(impersonated.address)"))
    #expect(question.contains("\(scene.attacker.address)"))
    if !isCentral { #expect(question.contains("\"sensor\"")) }
    // The user did not agree: everything is unchanged.
    #expect(victim.bonds.map(\.address) == [impersonated.address])
    #expect(victim.bonds.map(\.security.method) == [.justWorks])
    #expect(scene.attacker.commands.last?.first == 0x05)
    scene.attacker.cutPower()
    await bonded.world.advance(by: .seconds(10))
    #expect(try await bonded.reconnect() == .value("FF31", "secret"))
  }

  @Test(
    "S11 I11.6 where the user agrees the claimed identity's keys are replaced, and no others", arguments: [true, false])
  func agreedClaim(isCentral: Bool) async throws {
    let scene = try await Impostor(isCentral: isCentral, isAuthenticated: true, replaces: true)
    #expect(scene.agent.asked.count { if case .replaceBond = $0.kind { true } else { false } } == 1)
    #expect(scene.victim.bonds.map(\.address) == [scene.impersonated.address])
    #expect(scene.victim.bonds.map(\.security.method) == [.numericComparison])
  }

  @Test(
    "S11 I12.7 a program's request to pair that arrives after the pairing has ended does not replace the keys",
    arguments: ["central", "peripheral"])
  func lateRequest(_ side: String) async throws {
    let bonded = try await BondedDevices.start()
    let device = side == "central" ? bonded.phone : bonded.sensor
    let stack = try #require(device.options[CBManagerOptionAdapterKey] as? HostStack)
    let bond = try #require(stack.bonds.first)
    let peer = try #require(bond.peer).identifier
    let again = bonded.world.start { await Self.pair(stack, with: peer, .encrypted) }
    await bonded.world.advance(by: .seconds(1))
    try #require(again.isOver)
    #expect(try await again.value.get() == bond.security)
    #expect(bonded.world.pairingRequests == 1)
    // Keys of a lower level than the request demands are not sufficient: it is a pairing, which fails without a user.
    let higher = bonded.world.start { await Self.pair(stack, with: peer, .authenticated) }
    await bonded.world.advance(by: .seconds(40))
    try #require(higher.isOver)
    await #expect(throws: PairingFailure.self) { try await higher.value.get() }
  }

  private static func pair(
    _ stack: HostStack, with peer: PeerIdentifier, _ level: SecurityLevel
  ) async -> Result<PairingSecurity, PairingFailure> {
    await withCheckedContinuation { continuation in
      stack.pair(with: peer, minimumLevel: level) { continuation.resume(returning: $0) }
    }
  }
}
