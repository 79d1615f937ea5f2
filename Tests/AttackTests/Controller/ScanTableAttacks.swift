import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// More advertisers than a host keeps, and some that are stored under one address and named by another.
@Suite("H2 the table of advertisers", .keepsCapture)
struct ScanTableAttacks {
  /// A program that scans and gets each advertiser once, for as long as its host remembers it.
  private final class Listener: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private var manager: CBCentralManager!
    private(set) var names: [String] = []

    init(options: [String: Any]) {
      super.init()
      manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "listener"), options: options)
    }
    func forget() { names = [] }
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) { names.append(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "") }
  }

  /// How many advertisers a host keeps.
  private static let limit = 16_384

  /// A host with a program that is connected to and one that scans.
  private struct Scene {
    let host = BetrayedHost(World(seed: 1, keepsPackets: false))
    let shelf: PeripheralApp
    let listener: Listener
    var world: World { host.world }

    static func start() async throws -> Scene {
      let scene = Scene()
      scene.host.stack.setPairingAgent(TestAgent())
      try await scene.world.wait(within: .seconds(5)) { [shelf = scene.shelf] in shelf.manager.isAdvertising }
      return scene
    }

    private init() {
      shelf = Shelf.start(host.options)
      listener = Listener(options: host.options)
    }

    /// Advertisers with these numbers are received one after the other. Returns how many of them the program discovered.
    func hear(_ numbers: Range<UInt64>) async -> Int {
      listener.forget()
      // Fewer at a time than may wait for a program.
      for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 2_000) {
        await host.perform { chip in
          for number in start..<min(numbers.upperBound, start + 2_000) {
            chip.inject(
              LEAdvertisingReportEvent(reports: [
                .init(
                  type: .connectable, address: HCIAddress(DeviceAddress(0xC100_0000_0000 | number, kind: .random)),
                  data: [2, 0x09, 0x41], rssi: -50)
              ]))
          }
        }
      }
      return listener.names.count { $0 == "A" }
    }
  }

  @Test("H2 past 16,384 advertisers the least recently heard one is removed, and no other")
  func manyAdvertisers() async throws {
    let scene = try await Scene.start()
    #expect(await scene.hear(0..<40_000) == 40_000)
    #expect(scene.host.stack.scannedDeviceCount == Self.limit)
    // Those that are kept are known when they are heard again; each removed one is new, and replaces another.
    #expect(await scene.hear(40_000 - UInt64(Self.limit)..<40_000) == 0)
    #expect(await scene.hear(0..<100) == 100)
    #expect(await scene.hear(40_000 - UInt64(Self.limit) + 100..<40_000) == 0)
    #expect(await scene.hear(40_000 - UInt64(Self.limit)..<40_000 - UInt64(Self.limit) + 1) == 1)
    #expect(scene.host.stack.scannedDeviceCount == Self.limit)
  }

  enum Stray: String, CaseIterable {
    /// The key that it distributes does not resolve its private address.
    case unresolved
    /// Its key resolves the address, and its bond is removed.
    case unbonded
  }

  @Test(
    "H2 I11.1 a bonded device that is heard by a private address which no key resolves is removed under that address",
    arguments: Stray.allCases)
  func filedUnderAnother(_ stray: Stray) async throws {
    let scene = try await Scene.start()
    let (world, stack, listener) = (scene.world, scene.host.stack, scene.listener)
    let entropy = SeededEntropy(seed: 5)
    let key = SecretKey.random(entropy)
    let shown =
      stray == .unbonded
      ? IdentityResolver(irk: key).makeAddress(entropy) : DeviceAddress(0x4000_0000_0001, kind: .random)
    let identity = HostileDevice.address(0x1D)
    let attacker = HostileDevice(world, address: shown)
    attacker.local = LocalSecurity(
      policy: SecurityPolicy(), identity: LocalIdentity(address: identity, identityResolvingKey: key),
      entropy: entropy)
    await attacker.pair(with: scene.host.address)
    try #require(stack.bonds.map(\.address) == [identity])
    await attacker.leave()
    if stray == .unbonded { stack.removeBonds() }
    listener.forget()
    attacker.advertise("Stray")
    await world.advance(by: .seconds(1))
    #expect(listener.names == ["Stray"])
    for round in UInt64(1)...3 {
      attacker.cutPower()
      let first = round * 100_000
      #expect(await scene.hear(first..<first + UInt64(Self.limit)) == Self.limit)
      #expect(stack.scannedDeviceCount == Self.limit)
      // It was removed: it is new when it is heard again, one time.
      listener.forget()
      attacker.restorePower()
      await world.advance(by: .seconds(2))
      #expect(listener.names == ["Stray"])
      // It replaced the first and no other.
      #expect(await scene.hear(first + 1..<first + UInt64(Self.limit)) == 0)
      #expect(stack.scannedDeviceCount == Self.limit)
    }
  }
}
