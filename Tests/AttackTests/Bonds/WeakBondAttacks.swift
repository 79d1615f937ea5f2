import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Bonds that were sufficient until the policy was raised. Their keys are not used, in either role.
@Suite("Weak bond attacks", .keepsCapture)
struct WeakBondAttacks {
  /// What the policy requires more of.
  enum Demand: String, CaseIterable {
    case level, method, keySize, secureConnections

    var before: SecurityPolicy {
      var policy = SecurityPolicy()
      switch self {
      case .keySize: (policy.minimumKeySize, policy.maximumKeySize) = (7, 7)
      case .secureConnections: policy.offersSecureConnections = false
      case .level, .method: break
      }
      return policy
    }

    var after: SecurityPolicy {
      var policy = SecurityPolicy()
      switch self {
      case .level: policy.minimumLevel = .authenticated
      case .method: policy.allowedMethods = [.numericComparison]
      case .secureConnections: policy.requiresSecureConnections = true
      case .keySize: break
      }
      return policy
    }
  }

  private func raise(_ device: Device, _ demand: Demand, _ bonded: BondedDevices) async {
    device.setSecurityPolicy(demand.after)
    await bonded.world.settle()
  }

  @Test(
    "A13 I11.3 a central whose bond is insufficient now reads nothing of an impostor, unencrypted or paired",
    arguments: Demand.allCases, [true, false])
  func central(_ demand: Demand, pairs: Bool) async throws {
    let bonded = try await BondedDevices.start(policy: demand.before)
    try await bonded.disconnect()
    await raise(bonded.phone, demand, bonded)
    bonded.sensor.cutPower()
    await bonded.world.advance(by: .seconds(1))
    let spoofer = HostileDevice(bonded.world, address: bonded.sensor.address)
    spoofer.server = HostileServer.make()
    if pairs { spoofer.behave() }
    spoofer.advertise("Safe")
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(60))
    #expect(spoofer.connectionCount == 1)
    #expect(bonded.central.events == [.failedToConnect("sensor", .encryptionTimedOut)])
    #expect(bonded.central.peripheral?.state == .disconnected)
    #expect(spoofer.attributePDUs.allSatisfy { $0.first == 0x02 })
    #expect(bonded.phone.bonds.map(\.address) == [bonded.sensor.address])
  }

  @Test(
    "A13 I11.3 a central whose bond is insufficient pairs again with the real peripheral before its program is notified"
  )
  func pairsAgain() async throws {
    let bonded = try await BondedDevices.start()
    try await bonded.disconnect()
    for device in [bonded.phone, bonded.sensor] { device.setPairingAgent(TestAgent(.displayYesNo)) }
    await raise(bonded.phone, .level, bonded)
    #expect(try await bonded.reconnect() == .value("FF31", "secret"))
    #expect(bonded.central.events.first == .connected("sensor"))
    for device in [bonded.phone, bonded.sensor] {
      #expect(device.bonds.map(\.security.method) == [.numericComparison])
    }
    // The new keys are used the next time.
    try await bonded.disconnect()
    #expect(try await bonded.reconnect() == .value("FF31", "secret"))
    #expect(bonded.world.pairingRequests == 2)
  }

  @Test(
    "A13 I11.3 a peripheral whose bond is insufficient now gives its central no value", arguments: Demand.allCases
  )
  func peripheral(_ demand: Demand) async throws {
    let bonded = try await BondedDevices.start(policy: demand.before)
    bonded.central.notify(true, "FF31")
    await bonded.world.advance(by: .seconds(1))
    try await bonded.disconnect()
    await raise(bonded.sensor, demand, bonded)
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(10))
    bonded.peripheral.notify("for paired devices")
    await bonded.world.advance(by: .seconds(1))
    #expect(bonded.central.events == [.failedToConnect("sensor", .peerRemovedPairingInformation)])
    #expect(bonded.peripheral.subscriptions.isEmpty)
  }

  @Test(
    "A13 I11.3 a peer that connects from a bonded address is not taken for that device because its bond is weak"
  )
  func fromOutside() async throws {
    let bonded = try await BondedDevices.start()
    try await bonded.disconnect()
    bonded.sensor.cutPower()
    let own = Shelf.start(bonded.phone.options)
    await raise(bonded.phone, .level, bonded)
    let spoofer = HostileDevice(bonded.world, address: bonded.sensor.address)
    spoofer.server = HostileServer.make()
    bonded.central.connect()
    await bonded.world.advance(by: .seconds(1))
    #expect(own.manager.isAdvertising)
    spoofer.connect(to: bonded.phone.address)
    await bonded.world.advance(by: .seconds(5))
    #expect(spoofer.isConnected && bonded.central.events.isEmpty)
    #expect(bonded.central.peripheral?.state == .connecting)
  }

  @Test("S10 I11.3 a link encrypted with keys that are insufficient now ends when the policy is raised")
  func whileConnected() async throws {
    for isPhone in [true, false] {
      let bonded = try await BondedDevices.start()
      try await bonded.disconnect()
      #expect(try await bonded.reconnect() == .value("FF31", "secret"))
      await raise(isPhone ? bonded.phone : bonded.sensor, .level, bonded)
      await bonded.world.advance(by: .seconds(1))
      #expect(bonded.central.peripheral?.state == .disconnected)
      // A policy that requires no more than the link has changes nothing.
      let content = try await BondedDevices.start()
      content.phone.setSecurityPolicy(SecurityPolicy())
      await content.world.advance(by: .seconds(1))
      #expect(content.central.peripheral?.state == .connected)
    }
  }

  @Test("A9 I11.3 commands signed with a key of a bond that is insufficient now are not accepted")
  func signatures() async throws {
    let scene = try await AttackedPeripheral.start { $0.behave() }
    await scene.pair()
    let signing = SignatureAlgorithm(csrk: try #require(scene.attacker.results.first?.localSigningKey))
    try await scene.reconnect()
    func send(_ text: String, _ counter: UInt32) async {
      let message = [0xD2, 0x18, 0] + Array(text.utf8)
      scene.attacker.sendAttributePDU(message + signing.signature(of: message, signCounter: counter))
      await scene.world.advance(by: .milliseconds(300))
    }
    await send("before", 0)
    #expect(scene.program.texts == ["before"])
    scene.device.setSecurityPolicy(Demand.level.after)
    await scene.world.advance(by: .seconds(1))
    await send("raised", 1)
    try await scene.reconnect()
    await send("again", 2)
    #expect(scene.program.texts == ["before"])
  }

  @Test(
    "A14 I11.3 a pairing without a bond does not change the subscriptions of the bonded device under that address")
  func unbondedPairing() async throws {
    let bonded = try await BondedDevices.start()
    bonded.central.notify(true, "FF31")
    bonded.central.notify(true, "FF32")
    await bonded.world.advance(by: .seconds(1))
    try await bonded.disconnect()
    bonded.phone.cutPower()
    var policy = SecurityPolicy()
    policy.isBondable = false
    let spoofer = HostileDevice(bonded.world, address: bonded.phone.address)
    spoofer.behave(policy)
    await spoofer.pair(with: bonded.sensor.address)
    #expect(spoofer.results.count == 1)
    #expect(await spoofer.ask("1216000100") == ["13"])
    await spoofer.leave()
    bonded.phone.restorePower()
    bonded.central.connect()
    try await bonded.world.wait(within: .seconds(10)) { bonded.central.isWalked }
    #expect(bonded.peripheral.subscriptions.sorted() == ["FF31", "FF32"])
  }

  @Test("A13 I11.3 a peripheral whose bond is insufficient now asks its central for better keys when it connects")
  func securityRequest() async throws {
    let scene = try await AttackedPeripheral.start { $0.behave() }
    await scene.pair()
    #expect(scene.device.bonds.map(\.security.method) == [.justWorks])
    scene.device.setPairingAgent(TestAgent(.displayYesNo))
    scene.device.setSecurityPolicy(Demand.level.after)
    await scene.attacker.leave()
    scene.attacker.behave(SecurityPolicy(ioCapability: .displayYesNo))
    scene.attacker.forgetWhatCame()
    try await scene.connect()
    await scene.world.advance(by: .seconds(3))
    let request = try #require(scene.attacker.commands.first)
    // Security Request, for MITM protection.
    #expect(request.count == 2 && request[0] == 0x0B && request[1] & 0x04 != 0)
    #expect(scene.device.bonds.map(\.security.method) == [.numericComparison])
    #expect(await scene.attacker.ask("0a" + AttackedPeripheral.secret) == ["0b736563726574"])
    // With sufficient keys no Security Request is sent.
    scene.attacker.forgetWhatCame()
    try await scene.reconnect()
    await scene.world.advance(by: .seconds(3))
    #expect(scene.attacker.commands.isEmpty)
  }
}
