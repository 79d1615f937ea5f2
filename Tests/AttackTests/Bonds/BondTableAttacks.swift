import BLECore
import BLECrypto
import BLEHost
import BLEPairing
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Strangers that pair with a device that did not ask for it, and the limit on stored keys.
@Suite("Bond table attacks", .keepsCapture)
struct BondTableAttacks {
  /// Pairs as one stranger after the other, each from an address of its own.
  private func pairStrangers(_ numbers: ClosedRange<UInt64>, with device: Device, in world: World) async {
    for number in numbers {
      let stranger = HostileDevice(world, address: HostileDevice.address(number))
      stranger.behave(seed: number)
      await stranger.pair(with: device.address)
      await stranger.leave()
    }
  }

  @Test("S11 I11.8 bonds of strangers that paired by Just Works and do not come back are evicted for later pairings")
  func fullTable() async throws {
    let world = World()
    let (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
    sensor.setBondLimit(3)
    let peripheral = PeripheralApp.safe(sensor.options)
    try await world.wait(within: .seconds(5)) { peripheral.manager.isAdvertising }
    await pairStrangers(1...5, with: sensor, in: world)
    #expect(sensor.bonds.map(\.address) == [3, 4, 5].map { HostileDevice.address($0) })
    let central = CentralApp(phone.options, seeking: "Safe")
    try await world.wait(within: .seconds(10)) { central.isWalked }
    central.read("FF31")
    await world.advance(by: .seconds(2))
    #expect(central.events.last == .value("FF31", "secret"))
    #expect(sensor.bonds.map(\.address) == [HostileDevice.address(4), HostileDevice.address(5), phone.address])
    // The keys of a connected device stay, also the first time.
    await pairStrangers(11...15, with: sensor, in: world)
    #expect(sensor.bonds.first?.address == phone.address && sensor.bonds.count == 3)
    #expect(central.peripheral?.state == .connected)
  }

  @Test(
    "S11 I11.8 a bond that was used again stays, as does an authenticated one, however many strangers pair")
  func usedBonds() async throws {
    let bonded = try await BondedDevices.start()
    bonded.sensor.setBondLimit(3)
    try await bonded.disconnect()
    #expect(try await bonded.reconnect() == .value("FF31", "secret"))
    try await bonded.disconnect()
    // A bond made by comparing digits, and not used since.
    bonded.sensor.setPairingAgent(TestAgent(.displayYesNo))
    let friend = HostileDevice(bonded.world, address: HostileDevice.address(100))
    friend.behave(SecurityPolicy(ioCapability: .displayYesNo))
    await friend.pair(with: bonded.sensor.address)
    friend.disconnect()
    bonded.sensor.setPairingAgent(nil)
    await pairStrangers(1...4, with: bonded.sensor, in: bonded.world)
    #expect(
      bonded.sensor.bonds.map(\.address) == [bonded.phone.address, friend.address, HostileDevice.address(4)])
    // What is known of a bond's use is kept while the adapter is off.
    bonded.sensor.powerOff()
    await bonded.world.advance(by: .seconds(1))
    bonded.sensor.powerOn()
    await bonded.world.advance(by: .seconds(2))
    await pairStrangers(5...6, with: bonded.sensor, in: bonded.world)
    #expect(
      bonded.sensor.bonds.map(\.address) == [bonded.phone.address, friend.address, HostileDevice.address(6)])
    #expect(try await bonded.reconnect() == .value("FF31", "secret"))
  }

  @Test("S11 I11.8 a pairing that fails in a full table evicts nothing")
  func failedNewcomer() async throws {
    let scene = try await AttackedPeripheral.start { $0.behave() }
    scene.device.setBondLimit(1)
    await scene.pair()
    await scene.attacker.leave()
    let stranger = HostileDevice(scene.world, address: HostileDevice.address(2))
    stranger.behave(seed: 2)
    stranger.forge = { $0.first == 0x0A || $0.first == 0x09 ? [] : [$0] }
    await stranger.pair(with: scene.device.address)
    stranger.cutPower()
    await scene.world.advance(by: .seconds(40))
    #expect(scene.device.bonds.map(\.address) == [scene.attacker.address])
  }

  @Test(
    "S11 I11.8 no unrequested pairing is accepted where no program publishes anything that needs one")
  func nothingOffered() async throws {
    let world = World()
    let device = world.makeDevice("shelf")
    let shelf = Shelf.start(device.options)
    try await world.wait(within: .seconds(5)) { shelf.manager.isAdvertising }
    let stranger = HostileDevice(world, address: HostileDevice.address(1))
    stranger.behave()
    await stranger.pair(with: device.address)
    #expect(stranger.commands.last?.first == 0x05 && stranger.results.isEmpty)
    #expect(device.bonds.isEmpty)
    // The peer may use the attributes that are open to all.
    #expect(await stranger.ask("0a" + Shelf.fixed) == Shelf.fixedAnswer)
  }

  @Test("S11 I11.1 a device that pairs repeatedly, each time with another identity, leaves nothing in the tables")
  func manyIdentities() async throws {
    // Its own address is a private one that no key resolves.
    let scene = try await AttackedPeripheral.start(address: DeviceAddress(0x4000_0000_0001, kind: .random)) {
      $0.behave()
    }
    let (device, attacker) = (scene.device, scene.attacker)
    device.setBondLimit(8)
    let stack = try #require(device.options[CBManagerOptionAdapterKey] as? HostStack)
    for number in 1...60 {
      attacker.local?.identity = LocalIdentity(
        address: HostileDevice.address(UInt64(number)), identityResolvingKey: .random(SeededEntropy(seed: 7)))
      await scene.pair()
      #expect(device.bonds.last?.address == HostileDevice.address(UInt64(number)))
    }
    #expect(device.bonds.count <= 8)
    let counts = stack.directory.counts
    #expect(counts.peers <= 9 && counts.addresses <= 9, "\(counts)")
  }
}
