import BLESession
import BLETestKit
import CoreBluetooth
import Testing

@Suite("A2 and A4: lists of devices", .keepsCapture)
struct DeviceListTests {
  /// A phone with a list, and what the list reported.
  private struct Screen {
    let world: World
    let central: Central
    let list: DeviceList
    let changes: Locked<[DeviceListChange]>
    let watching: WorldTask<Void>

    init(
      in world: World, matching rule: MatchRule, rules: DeviceListRules = DeviceListRules(signalInterval: nil)
    ) async {
      self.world = world
      central = Central(options: world.makeDevice("phone").options, clock: world.clock)
      await world.settle()
      let list = central.list(matching: rule, rules: rules)
      let changes = Locked<[DeviceListChange]>([])
      self.list = list
      self.changes = changes
      watching = world.start { for await change in list.changes() { changes.change { $0.append(change) } } }
    }

    /// What was reported since the last time, in short.
    func news() -> [String] {
      defer { changes.value = [] }
      return changes.value.map { change in
        switch change {
        case .appeared(let device, let place): "appeared \(device.discovery.name ?? "-") at \(place)"
        case .changed(let device, let place): "changed \(device.discovery.name ?? "-") at \(place)"
        case .stale(let device, let place): "stale \(device.discovery.name ?? "-") at \(place)"
        case .returned(let device, let place): "returned \(device.discovery.name ?? "-") at \(place)"
        case .removed(let device, let place): "removed \(device.discovery.name ?? "-") from \(place)"
        }
      }
    }
  }

  @Test("R2.8 only names with the prefix, each once, in a stable order, and changes are announced")
  func list() async throws {
    let world = World()
    let (one, two, television) = (
      world.makeScriptedDevice("one"), world.makeScriptedDevice("two"), world.makeScriptedDevice("television")
    )
    one.advertise(AdvertisingData.name("SMART_one"))
    television.advertise(AdvertisingData.name("TV SMART_"))
    let screen = await Screen(in: world, matching: .namePrefix("SMART_"))
    await world.advance(by: .seconds(3))
    two.advertise(AdvertisingData.name("SMART_two"))
    await world.advance(by: .seconds(3))
    #expect(screen.news() == ["appeared SMART_one at 0", "appeared SMART_two at 1"])

    one.advertise(AdvertisingData.name("SMART_one") + AdvertisingData.manufacturer(0x1234, [1]))
    await world.advance(by: .seconds(3))
    #expect(screen.news() == ["changed SMART_one at 0"])
    one.advertise(AdvertisingData.name("SMART_first"))
    await world.advance(by: .seconds(3))
    #expect(screen.news() == ["changed SMART_first at 0"])
    let names = await screen.list.devices.map(\.discovery.name)
    #expect(names == ["SMART_first", "SMART_two"])

    screen.list.stop()
    try await world.wait(within: .seconds(1)) { screen.watching.isOver }
    let isScanning = await screen.central.isScanning
    #expect(!isScanning)
  }

  @Test("R2.8 a device that is not heard is stale after exactly the given time, and returns to its place")
  func staleness() async throws {
    let world = World()
    let (one, two) = (world.makeScriptedDevice("one"), world.makeScriptedDevice("two"))
    one.advertise(AdvertisingData.name("SMART_one"))
    let screen = await Screen(
      in: world, matching: .namePrefix("SMART_"), rules: DeviceListRules(staleAfter: .seconds(5), signalInterval: nil))
    await world.advance(by: .seconds(2))
    two.advertise(AdvertisingData.name("SMART_two"))
    await world.advance(by: .seconds(2))
    one.cutPower()
    await world.advance(by: .seconds(2))
    _ = screen.news()
    let lastSeen = try #require(await screen.list.devices.first).discovery.lastSeen
    await world.advance(by: lastSeen + .seconds(5) - .nanoseconds(1) - world.now)
    #expect(screen.news().isEmpty)
    await world.advance(by: .nanoseconds(1))
    #expect(screen.news() == ["stale SMART_one at 0"])
    let stale = await screen.list.devices.map(\.isStale)
    #expect(stale == [true, false])
    one.restorePower()
    await world.advance(by: .seconds(3))
    #expect(screen.news() == ["returned SMART_one at 0"])
  }

  @Test("R1.2 R2.8 listed by name, a device under another identifier is the same entry; memory is bounded")
  func identity() async throws {
    let world = World()
    let screen = await Screen(
      in: world, matching: .any, rules: DeviceListRules(identity: .name, signalInterval: nil, capacity: 3))
    let devices = (0..<6).map { world.makeScriptedDevice("device \($0)") }
    for (number, device) in devices.prefix(2).enumerated() {
      device.advertise(AdvertisingData.name("SMART_\(number)"))
      await world.advance(by: .seconds(1))
    }
    devices[0].stopAdvertising()
    devices[2].advertise(AdvertisingData.name("SMART_0"))
    await world.advance(by: .seconds(1))
    #expect(screen.news() == ["appeared SMART_0 at 0", "appeared SMART_1 at 1", "changed SMART_0 at 0"])

    devices[1].stopAdvertising()
    await world.advance(by: .seconds(1))
    devices[2].stopAdvertising()
    for (number, device) in devices.enumerated().dropFirst(3) {
      device.advertise(AdvertisingData.name("SMART_\(number)"))
      await world.advance(by: .seconds(1))
    }
    #expect(
      screen.news() == [
        "appeared SMART_3 at 2", "removed SMART_1 from 1", "appeared SMART_4 at 2", "removed SMART_0 from 0",
        "appeared SMART_5 at 2",
      ])
  }

  @Test(
    "R2.8 the changes, applied to a table one after the other, give the list, whatever comes and goes",
    arguments: 1...2)
  func table(seed: UInt64) async throws {
    let world = World(seed: seed)
    let devices = (0..<12).map { world.makeScriptedDevice("device \($0)") }
    let screen = await Screen(
      in: world, matching: .any,
      rules: DeviceListRules(identity: .name, staleAfter: .seconds(1), signalInterval: nil, capacity: 6))
    var state = seed
    func draw(_ count: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % count)
    }
    var (rows, kinds) = ([ListedDevice](), Set<String>())
    for _ in 0..<150 {
      let device = devices[draw(12)]
      switch draw(2) {
      case 0: device.stopAdvertising()
      // Some have a name together.
      default: device.advertise(AdvertisingData.name("SMART_\(draw(8))"))
      }
      await world.advance(by: .milliseconds(100 + draw(2_400)))
      for change in screen.changes.value {
        switch change {
        case .appeared(let row, let place):
          kinds.insert("appeared")
          #expect(place == rows.count)
          rows.append(row)
        case .changed(let row, let place), .stale(let row, let place), .returned(let row, let place):
          kinds.insert(row.isStale ? "stale" : rows[place].isStale ? "returned" : "changed")
          rows[place] = row
        case .removed(let row, let place):
          kinds.insert("removed")
          #expect(rows.remove(at: place).id == row.id)
        }
      }
      screen.changes.value = []
      let listed = await screen.list.devices
      #expect(rows.map(\.id) == listed.map(\.id) && rows.map(\.isStale) == listed.map(\.isStale))
      #expect(rows.count <= 6)
      let oldest = listed.filter(\.isStale).map(\.discovery.lastSeen).max() ?? .zero
      #expect(listed.allSatisfy { $0.isStale || $0.discovery.lastSeen >= oldest })
    }
    #expect(kinds == ["appeared", "changed", "stale", "returned", "removed"])
  }

  @Test("R4.4 a device is chosen by name whatever its case, then by the address in its manufacturer data")
  func address() async throws {
    let world = World()
    let rule = DeviceAddressRule(offset: 1)
    func advertise(_ name: String, _ content: [UInt8]) -> ScriptedDevice {
      let device = world.makeScriptedDevice(name)
      device.advertise(AdvertisingData.name(name) + AdvertisingData.manufacturer(0x1234, content))
      // Whatever is requested: there is no such attribute.
      device.answer { request in request.count < 3 ? nil : [0x01, request[0], request[1], request[2], 0x0A] }
      return device
    }
    let wanted: [UInt8] = [7, 0xA0, 0xB1, 0xC2, 0xD3, 0xE4, 0x02]
    let others = [
      advertise("SMART LOCK", [7, 0xA0, 0xB1, 0xC2, 0xD3, 0xE4, 0x01]), advertise("smart lamp", wanted),
      // The address is there, but not where it should be; or only its beginning.
      advertise("Smart Lock", [0xA0, 0xB1, 0xC2, 0xD3, 0xE4, 0x02]), advertise("Smart Lock", Array(wanted.dropLast())),
      advertise("Smart Lock", []),
    ]
    let lock = advertise("sMaRt LoCk", wanted)
    let memory = VolatileMemory()
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock, memory: memory)
    await world.settle()
    let target = DeviceTarget.first(
      .all([.namesIgnoringCase(["Smart Lock"]), .address(rule, "a0-b1-c2-d3-e4-02")]))
    let configuration = SessionConfiguration(addressRule: rule)
    let session = central.session(with: target, configuration: configuration)
    try await world.perform { try await session.connect() }
    #expect(lock.connectionCount == 1 && others.allSatisfy { $0.connectionCount == 0 })
    let remembered = try #require(try memory.devices().first)
    #expect(remembered.address == "A0:B1:C2:D3:E4:02" && remembered.name == "sMaRt LoCk")

    // Another device with that address in its advertisement: by the vendor's rule it is the same lock.
    try await world.perform { await session.disconnect() }
    lock.cutPower()
    others[1].cutPower()
    let replaced = advertise("SMART_LOCK", wanted)
    let again = central.session(with: .remembered(remembered, by: .address(rule)), configuration: configuration)
    try await world.perform { try await again.connect() }
    #expect(replaced.connectionCount == 1)
  }
}

/// Keeps bonds for as long as the test runs.
final class VolatileMemory: PeripheralMemory {
  private let list = Locked<[RememberedDevice]>([])
  func devices() throws -> [RememberedDevice] { list.value }
  func remember(_ device: RememberedDevice) throws {
    list.change { list in
      list.removeAll { $0.identifier == device.identifier }
      list.insert(device, at: 0)
    }
  }
  func forget(_ identifier: UUID) throws { list.change { $0.removeAll { $0.identifier == identifier } } }
}
