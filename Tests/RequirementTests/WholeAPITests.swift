import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A3: the whole of Core Bluetooth", .keepsCapture)
struct WholeAPITests {
  @Test("R3.2 the delegate methods of a whole conversation are called, each in order")
  func conversation() async throws {
    let talk = try await Conversation.start(with: Devices.owenli)
    #expect(
      talk.central.events == [
        .state(.poweredOn), .connected("Owenli"), .services(2, nil), .name("other"), .characteristics("FFF0", nil),
        .characteristics("FFE0", nil),
      ])
    #expect(
      talk.peripheral.events == [
        .state(.poweredOn), .added("FFF0", nil), .added("FFE0", nil), .advertising(nil),
      ])
  }

  @Test("R3.3 duplicates are coalesced, or all delivered; solicited services match where requested")
  func duplicates() async throws {
    let world = World()
    let beacon = PeripheralApp("beacon", on: world.makeDevice("beacon"))
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: false])
    await world.advance(by: .seconds(10))
    #expect((1...2).contains(central.sightings.count))
    central.manager.stopScan()
    let before = central.sightings.count
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
    await world.advance(by: .seconds(10))
    #expect(central.sightings.count - before > 20)
    #expect(central.sightings.allSatisfy { $0.peripheral === central.sightings[0].peripheral })
    withExtendedLifetime(beacon) {}
  }

  @Test("R3.4 a start delay delays the attempt; alert options are accepted")
  func connectOptions() async throws {
    let world = World()
    let beacon = PeripheralApp("beacon", on: world.makeDevice("beacon"))
    let central = CentralApp(world.makeDevice("phone").options)
    let found = try await central.find(in: world)
    central.manager.connect(
      found,
      options: [
        CBConnectPeripheralOptionStartDelayKey: 10, CBConnectPeripheralOptionNotifyOnConnectionKey: true,
        CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
        CBConnectPeripheralOptionNotifyOnNotificationKey: true,
      ])
    await world.advance(by: .seconds(9))
    #expect(found.state == .connecting)
    await world.advance(by: .seconds(3))
    #expect(found.state == .connected)
    withExtendedLifetime(beacon) {}
  }

  @Test("R3.5 every combination of property and permission gives its documented answer")
  func permissions() async throws {
    let world = World()
    let combinations: [(CBCharacteristicProperties, CBAttributePermissions)] = [
      ([.read], [.readable]), ([.write], [.writeable]), ([.read, .write], [.readable, .writeable]),
      ([.read], [.readable, .writeable]), ([.write], [.readable, .writeable]), ([.notify], [.readable]),
      ([.writeWithoutResponse], [.writeable]), ([.indicate], []),
    ]
    let characteristics = combinations.enumerated().map { index, combination in
      CBMutableCharacteristic(String(format: "FF%02X", index + 1), combination.0, combination.1)
    }
    let service = CBMutableService("FF00", characteristics)
    let talk = try await Conversation.start(
      in: world, with: { PeripheralApp("permissions", on: $0, services: [service], advertises: []) })
    for (index, combination) in combinations.enumerated() {
      let characteristic = try talk.characteristic(String(format: "FF%02X", index + 1))
      #expect(characteristic.properties == combination.0)
      talk.central.events = []
      talk.found.readValue(for: characteristic)
      await talk.found.write(Data([1]), to: characteristic, in: world)
      let uuid = characteristic.uuid.uuidString
      let readable = combination.0.contains(.read) && combination.1.contains(.readable)
      let writeable = combination.0.contains(.write) && combination.1.contains(.writeable)
      #expect(talk.central.events.contains { if case .value(uuid, _) = $0 { true } else { false } } == readable)
      #expect(talk.central.events.contains(.valueError(uuid, 2)) == !readable)
      #expect(talk.central.events.contains(.written(uuid, 0)) == writeable)
      #expect(talk.central.events.contains(.written(uuid, 3)) == !writeable)
    }
  }

  @Test("R3.6 included services are found, and a change of the services is announced")
  func modified() async throws {
    let world = World()
    let inner = CBMutableService("FF10", primary: false)
    let outer = CBMutableService("FF20")
    outer.includedServices = [inner]
    let talk = try await Conversation.start(
      in: world, with: { PeripheralApp("tree", on: $0, services: [inner, outer], advertises: []) })
    let service = try #require(talk.central.service("FF20", of: talk.found))
    talk.found.discoverIncludedServices(nil, for: service)
    await world.settle()
    #expect(service.includedServices?.map(\.uuid.uuidString) == ["FF10"])
    talk.peripheral.manager.remove(outer)
    await world.advance(by: .seconds(1))
    #expect(talk.central.events.last == .modified(["FF20"]))
  }

  @Test("R3.7 a disconnection invalidates discovered objects, and rediscovery finds them again")
  func invalidation() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    let old = try talk.characteristic("FF22")
    await talk.found.notify(true, old, in: talk.world)
    #expect(old.isNotifying)
    await talk.disconnect()
    #expect(!old.isNotifying && talk.found.state == .disconnected)
    let count = talk.central.events.count
    await talk.found.read(old, in: talk.world)
    #expect(talk.central.events.count == count)
    try await talk.connect()
    await talk.discoverAll()
    try await talk.read("FF22")
    #expect(talk.central.events.last == .value("FF22", ""))
  }

  @Test("R3.8 writes without response are held back by canSendWriteWithoutResponse, and none is lost")
  func flowControl() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    #expect(talk.found.canSendWriteWithoutResponse)
    var next = 0
    // On the program's queue.
    func write() {
      while next < 500, talk.found.canSendWriteWithoutResponse {
        talk.found.writeValue(Data("write \(next)".utf8), for: characteristic, type: .withoutResponse)
        next += 1
      }
    }
    talk.central.reactions["ready"] = write
    talk.central.queue.sync { write() }
    #expect(next < 500)
    try await talk.world.wait(within: .seconds(60)) { talk.peripheral.events.count { $0.isWrite } == 500 }
    let texts = talk.peripheral.events.compactMap { if case .wrote(let texts) = $0 { texts.first } else { nil } }
    #expect(texts == (0..<500).map { "write \($0)" })
  }

  @Test("R3.12 the example peripheral: FFF0, FFE0, `Owenli`, a counter each second while subscribed")
  func owenli() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world) { Devices.owenli(on: $0, counting: world.clock) }
    let counter = try talk.characteristic("FFF1")
    await world.advance(by: .seconds(3))
    #expect(talk.central.values.isEmpty, "there is no subscriber yet")
    await talk.found.notify(true, counter, in: world)
    await world.advance(by: .milliseconds(5_500))
    #expect(talk.central.values == (1...5).map { Data("send data : \($0)".utf8) })
    await talk.found.notify(false, counter, in: world)
    await world.advance(by: .seconds(3))
    #expect(talk.central.values.count == 5)
    #expect(try talk.characteristic("FFF2").properties == [.read, .write])
    #expect(try talk.characteristic("FFE1").properties == [.read])
    #expect(talk.central.names.first == "Owenli")
  }
}
