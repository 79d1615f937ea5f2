import BLECore
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 2: scanning", .keepsCapture)
struct CentralScanningTests {
  static let heart = BLEUUID(UInt16(0x180D))
  static let lamp = BLEUUID(UInt16(0xFFF0))

  /// A central app that is powered on, on a world with a tag named "tag" that advertises `fields`.
  private func scene(
    _ data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true
  ) async -> (World, CentralApp, ScriptedDevice) {
    let world = World()
    let tag = world.makeScriptedDevice("tag")
    tag.advertise(data, scanResponse: scanResponse, isConnectable: isConnectable)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    return (world, central, tag)
  }

  @Test("B2.1 below powered on a scan is dropped with a line in the log", arguments: [true, false])
  func poweredOff(isKnown: Bool) async {
    let world = World()
    let phone = world.makeDevice("phone")
    phone.powerOff()
    let central = CentralApp(phone.options)
    if isKnown { await world.settle() }
    central.manager.scanForPeripherals(withServices: nil)
    central.manager.stopScan()
    #expect(!central.manager.isScanning)
    phone.powerOn()
    await world.advance(by: .seconds(2))
    #expect(central.sightings.isEmpty && !central.manager.isScanning)
    let lines = world.logLines.filter { $0.level == .error }.map(\.text)
    #expect(lines.count == 2)
    for line in lines {
      #expect(line.hasPrefix("API MISUSE: <CBCentralManager: 0x"))
      #expect(line.hasSuffix("> can only accept this command while in the powered on state"))
    }
  }

  @Test("B2.2 a second scan replaces the first, and stopScan ends it")
  func replacing() async {
    let (world, central, _) = await scene(Advertisement.of(.init(Self.lamp), Advertisement.name("tag")))
    #expect(!central.manager.isScanning)
    central.manager.scanForPeripherals(
      withServices: [CBUUID(string: "FFF0")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    #expect(central.manager.isScanning)
    await world.advance(by: .seconds(2))
    #expect(central.sightings.count > 5)
    central.sightings = []
    // Neither the services nor the duplicates of the first one remain.
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    await world.advance(by: .seconds(2))
    #expect(central.sightings.isEmpty)
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(2))
    #expect(central.names == ["tag"])
    central.manager.stopScan()
    #expect(!central.manager.isScanning)
    central.manager.scanForPeripherals(withServices: nil)
    central.manager.stopScan()
    await world.advance(by: .seconds(2))
    #expect(central.names == ["tag"])
  }

  @Test("B2.3 services are matched by any of the requested ones, whatever their width")
  func filters() async {
    let long = BLEUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    let wide = BLEUUID(high: 0x0000_180D_0000_1000, low: 0x8000_0080_5F9B_34FB)
    let world = World()
    let advertisements: [(String, [UInt8])] = [
      ("none", Advertisement.named("none")),
      ("heart", Advertisement.of(Advertisement.name("heart"), .init(Self.heart))),
      // The same service, in its 128-bit form.
      ("wide", Advertisement.of(Advertisement.name("wide"), Advertisement.services([wide], .full))),
      ("uart", Advertisement.of(Advertisement.name("uart"), Advertisement.services([long], .full))),
    ]
    for (name, data) in advertisements { world.makeScriptedDevice(name).advertise(data) }
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    let uart = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    let expectations: [([CBUUID]?, Set<String>)] = [
      (nil, ["none", "heart", "wide", "uart"]),
      ([CBUUID(string: "180D")], ["heart", "wide"]),
      ([CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")], ["heart", "wide"]),
      ([uart], ["uart"]),
      ([uart, CBUUID(string: "180D")], ["heart", "wide", "uart"]),
      ([CBUUID(string: "180F")], []),
    ]
    for (services, expected) in expectations {
      central.sightings = []
      central.manager.scanForPeripherals(withServices: services)
      await world.advance(by: .seconds(3))
      #expect(Set(central.names) == expected)
    }
  }

  @Test("B2.4 an empty list of services counts as none")
  func emptyFilter() async {
    let (world, central, _) = await scene(Advertisement.named("tag"))
    central.manager.scanForPeripherals(withServices: [])
    await world.advance(by: .seconds(2))
    #expect(central.names == ["tag"])
  }

  @Test("B2.5 a device is one event, and one more for each new content: the scan response, another advertisement")
  func coalescing() async throws {
    let first = Advertisement.of(Advertisement.name("tag"), Advertisement.manufacturer(0xFFFF, [1]))
    let (world, central, tag) = await scene(first, scanResponse: Advertisement.of(.init(Self.heart)))
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(20))
    #expect(central.sightings.count == 2)
    let (alone, merged) = (try #require(central.sightings.first), try #require(central.sightings.last))
    #expect(alone.name == "tag" && alone.data[CBAdvertisementDataServiceUUIDsKey] == nil)
    #expect(merged.name == "tag")
    #expect(merged.data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180D")])
    tag.advertise(
      Advertisement.of(Advertisement.name("tag"), Advertisement.manufacturer(0xFFFF, [2])),
      scanResponse: Advertisement.of(.init(Self.heart)))
    await world.advance(by: .seconds(20))
    #expect(central.sightings.count == 3)
    let changed = try #require(central.sightings.last)
    #expect(changed.data[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0xFF, 0xFF, 2]))
    #expect(changed.data[CBAdvertisementDataServiceUUIDsKey] != nil)
  }

  @Test("B2.5 a service that only the scan response contains is found")
  func filteredScanResponse() async {
    let (world, central, _) = await scene(
      Advertisement.named("tag"), scanResponse: Advertisement.of(.init(Self.heart)))
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    await world.advance(by: .seconds(5))
    #expect(central.names == ["tag"])
  }

  @Test("B2.6 with duplicates each packet is an event; a restarted scan has no memory of the previous one")
  func duplicates() async {
    let (world, central, _) = await scene(Advertisement.named("tag"), isConnectable: false)
    central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(10))
    // Every 100 to 110 ms; one in eight falls into the gap of the scan.
    #expect((75...100).contains(central.sightings.count))
    central.manager.stopScan()
    for _ in 0..<3 {
      central.sightings = []
      central.manager.scanForPeripherals(withServices: nil)
      await world.advance(by: .seconds(5))
      #expect(central.sightings.count == 1)
      central.manager.stopScan()
    }
  }

  @Test("B2.7 with solicited services devices that solicit one of them are found too")
  func solicitation() async {
    let world = World()
    world.makeScriptedDevice("asks").advertise(
      Advertisement.of(Advertisement.name("asks"), Advertisement.solicited([Self.heart])))
    world.makeScriptedDevice("has").advertise(Advertisement.of(Advertisement.name("has"), .init(Self.lamp)))
    world.makeScriptedDevice("other").advertise(Advertisement.named("other"))
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    let solicited = [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180D")]]
    let expectations: [([CBUUID]?, [String: Any]?, Set<String>)] = [
      ([CBUUID(string: "FFF0")], solicited, ["has", "asks"]),
      ([CBUUID(string: "FFF0")], nil, ["has"]),
      ([CBUUID(string: "180D")], nil, []),
    ]
    for (services, options, expected) in expectations {
      central.sightings = []
      central.manager.scanForPeripherals(withServices: services, options: options)
      await world.advance(by: .seconds(3))
      #expect(Set(central.names) == expected)
    }
  }

  @Test("B2.9 one device is one object as long as it is retained")
  func identity() async {
    let (world, central, tag) = await scene(Advertisement.named("tag"))
    central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(1))
    tag.advertise(Advertisement.named("renamed"))
    await world.advance(by: .seconds(1))
    central.manager.stopScan()
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(1))
    #expect(central.sightings.count > 10 && Set(central.names) == ["tag", "renamed"])
    #expect(Set(central.sightings.map { ObjectIdentifier($0.peripheral) }).count == 1)
    let again = central.manager.retrievePeripherals(withIdentifiers: [central.sightings[0].peripheral.identifier])
    #expect(again.count == 1 && again[0] === central.sightings[0].peripheral)
  }

  @Test("B2.10 the manager does not retain peripherals")
  func retention() async {
    let (world, central, _) = await scene(Advertisement.named("tag"))
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(1))
    weak let peripheral = central.sightings.first?.peripheral
    #expect(peripheral != nil)
    central.queue.sync { central.sightings = [] }
    #expect(peripheral == nil)
  }

  @Test("B2.11 the signal strength is a number of dBm, and 127 where there is none")
  func signalStrength() async throws {
    let world = World()
    world.makeScriptedDevice("near", at: Position(x: 1)).advertise(Advertisement.named("near"))
    world.makeScriptedDevice("far", at: Position(x: 20)).advertise(Advertisement.named("far"))
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(5))
    let near = try #require(central.sightings.first { $0.name == "near" })
    let far = try #require(central.sightings.first { $0.name == "far" })
    #expect((-100..<0).contains(near.rssi.intValue) && near.rssi.intValue > far.rssi.intValue)
    near.peripheral.delegate = central
    near.peripheral.readRSSI()
    await world.settle()
    #expect(central.told.last == "rssi 127 error \(CBError.notConnected.rawValue)")
  }
}
