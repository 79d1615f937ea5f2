import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Advertising and connection latency", .keepsCapture)
struct PeripheralAdvertisingTests {
  /// A phone's view of a device that advertises `data`: the latest of its dictionaries.
  private func seen(
    _ data: [String: Any]?, lookingFor services: [CBUUID]? = nil
  ) async throws -> [String: Any]? {
    let (world, publisher, central) = await World.withPublisherAndCentral()
    publisher.manager.startAdvertising(data)
    central.manager.scanForPeripherals(withServices: services)
    await world.advance(by: .seconds(5))
    #expect(publisher.told.last == "advertising" && publisher.manager.isAdvertising)
    return central.sightings.last?.data
  }

  @Test("B7.20 name and services are advertised, all other keys are ignored")
  func keys() async throws {
    let uuid = CBUUID(string: "FF11")
    let seen = try #require(
      try await seen([
        CBAdvertisementDataLocalNameKey: "name", CBAdvertisementDataServiceUUIDsKey: [uuid],
        CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF, 1]),
        CBAdvertisementDataServiceDataKey: [uuid: Data([1])], CBAdvertisementDataTxPowerLevelKey: 4,
        CBAdvertisementDataSolicitedServiceUUIDsKey: [uuid], CBAdvertisementDataIsConnectable: false, "other": 1,
      ]))
    #expect(seen[CBAdvertisementDataLocalNameKey] as? String == "name")
    #expect(seen[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [uuid])
    #expect(seen[CBAdvertisementDataIsConnectable] as? Bool == true)
    #expect(seen.count == 3)
  }

  @Test(
    "B7.20 no dictionary, an empty one, and values of the wrong types advertise a device without payload",
    arguments: 0...2)
  func nothing(_ number: Int) async throws {
    let wrong: [String: Any] = [CBAdvertisementDataLocalNameKey: 7, CBAdvertisementDataServiceUUIDsKey: "FF11"]
    let seen = try #require(try await seen([nil, [:], wrong][number]))
    #expect(seen.keys.sorted() == [CBAdvertisementDataIsConnectable])
  }

  @Test("B7.20 starting once more is an error that changes nothing")
  func twice() async throws {
    let (world, publisher, central) = await World.withPublisherAndCentral()
    #expect(!publisher.manager.isAdvertising)
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "first"])
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "second"])
    await world.settle()
    #expect(publisher.told == ["state 5", "advertising", "advertising error 9"])
    #expect((publisher.errors.last as? CBError)?.code == .alreadyAdvertising)
    #expect(publisher.errors.last?.localizedDescription == "Advertising has already started.")
    #expect(publisher.manager.isAdvertising)
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(2))
    #expect(central.sightings.last?.data[CBAdvertisementDataLocalNameKey] as? String == "first")
  }

  @Test("B7.21 28 octets for services and name: what fits is in the advertisement itself")
  func space() async throws {
    let long = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    // 2 + 16 for the service, 2 + 8 for the name.
    let fitting = try #require(
      try await seen([CBAdvertisementDataLocalNameKey: "12345678", CBAdvertisementDataServiceUUIDsKey: [long]]))
    #expect(fitting[CBAdvertisementDataLocalNameKey] as? String == "12345678")
    #expect(fitting[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [long])
    #expect(fitting[CBAdvertisementDataOverflowServiceUUIDsKey] == nil)
    // 2 + 26: thirteen services and no more.
    let short = (0..<14).map { CBUUID(string: String(format: "FF%02X", $0)) }
    let crowded = try #require(try await seen([CBAdvertisementDataServiceUUIDsKey: short]))
    #expect(crowded[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == Array(short.prefix(13)))
  }

  @Test(
    "B7.21 other services go to the overflow area, found only by scans for them; the name has ten octets left"
  )
  func overflow() async throws {
    let services = ["1", "2", "3"].map { CBUUID(string: "6E40000\($0)-B5A3-F393-E0A9-E50E24DCCA9E") }
    let data: [String: Any] = [
      CBAdvertisementDataLocalNameKey: "a name of some length", CBAdvertisementDataServiceUUIDsKey: services,
    ]
    let found = try #require(try await seen(data, lookingFor: [services[2]]))
    #expect(found[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [services[0]])
    #expect(found[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] == [services[2]])
    // Length and type are part of the ten.
    #expect(found[CBAdvertisementDataLocalNameKey] as? String == "a name o")
    let plain = try #require(try await seen(data))
    #expect(plain[CBAdvertisementDataOverflowServiceUUIDsKey] == nil)
    #expect(try await seen(data, lookingFor: [CBUUID(string: "FF77")]) == nil)
  }

  @Test("B7.22 advertising continues while a central is connected; stopping has no callback")
  func goesOn() async throws {
    let pair = try await Pair.start([CBMutableService("FF11")])
    #expect(pair.publisher.manager.isAdvertising)
    let (tablet, second) = try await pair.join("tablet")
    #expect(second.state == .connected && pair.peripheral.state == .connected)
    pair.publisher.manager.stopAdvertising()
    #expect(!pair.publisher.manager.isAdvertising)
    await pair.world.advance(by: .seconds(2))
    #expect(pair.publisher.told.isEmpty)
    let late = CentralApp(pair.world.makeDevice("watch").options)
    await pair.world.settle()
    late.manager.scanForPeripherals(withServices: nil)
    await pair.world.advance(by: .seconds(10))
    #expect(late.sightings.isEmpty)
    #expect(second.state == .connected && pair.peripheral.state == .connected)
    withExtendedLifetime(tablet) {}
  }

  @Test("B7.22 several peripheral managers of one device advertise simultaneously, each its own data")
  func several() async throws {
    let world = World()
    let publishers = (0..<3).map { _ in PeripheralApp(world.makeDevice("device").options) }
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    for (number, publisher) in publishers.enumerated() {
      publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "number \(number)"])
    }
    func names() async -> Set<String> {
      central.sightings = []
      central.manager.stopScan()
      central.scanWhenPoweredOn(allowingDuplicates: true)
      await world.advance(by: .seconds(3))
      return Set(central.names)
    }
    #expect(await names() == ["number 0", "number 1", "number 2"])
    publishers[1].manager.stopAdvertising()
    await world.settle()
    #expect(await names() == ["number 0", "number 2"])
    #expect(publishers.map(\.manager.isAdvertising) == [true, false, true])
  }

  @Test("B7.22 a controller with one advertisement refuses a second manager, until the first has stopped")
  func one() async throws {
    let world = World()
    let device = world.makeDevice("device")
    device.setController(ControllerConfiguration(quirks: .noExtendedAdvertising))
    let publishers = (0..<2).map { _ in PeripheralApp(device.options) }
    await world.settle()
    for publisher in publishers { publisher.manager.startAdvertising(nil) }
    await world.settle()
    #expect(publishers.map(\.told.last) == ["advertising", "advertising error 4"])
    publishers[0].manager.stopAdvertising()
    publishers[1].manager.startAdvertising(nil)
    await world.settle()
    #expect(publishers.map(\.manager.isAdvertising) == [false, true])
  }

  @Test("B7.19 the desired latency of a connection is a hint that the link follows")
  func latency() async throws {
    let line = CBMutableCharacteristic("FF22", [.read, .notify])
    let pair = try await Pair.start([CBMutableService("FF11", [line])])
    let found = try pair.characteristic("FF22")
    await pair.peripheral.notify(true, found, in: pair.world)
    let central = try #require(pair.publisher.subscribers.first)
    /// The duration of ten reads one after the other: each waits for a connection event.
    func time(_ latency: CBPeripheralManagerConnectionLatency) async -> Duration {
      pair.publisher.manager.setDesiredConnectionLatency(latency, for: central)
      await pair.world.advance(by: .seconds(5))
      let begin = pair.world.now
      for _ in 0..<10 { pair.peripheral.readValue(for: found) }
      await pair.world.settle()
      return pair.world.now - begin
    }
    let (high, medium, low) = (await time(.high), await time(.medium), await time(.low))
    #expect(low < medium && medium < high)
    #expect(low < .milliseconds(500) && high > .seconds(2))
    #expect(pair.central.values.count == 30 && pair.peripheral.state == .connected)
    // A hint about a link that has ended does no harm.
    await pair.disconnect()
    pair.publisher.manager.setDesiredConnectionLatency(.low, for: central)
    await pair.world.settle()
  }
}
