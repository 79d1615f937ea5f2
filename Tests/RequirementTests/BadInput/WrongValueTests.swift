import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Values that are missing, empty, too long or too many.
@Suite("Bad input: values", .keepsCapture)
struct WrongValueTests {
  @Test("nil is accepted wherever Apple's interface accepts it")
  func nothing() async throws {
    let talk = try await Conversation.start(with: Devices.owenli)
    let lonely = CBCentralManager(delegate: nil, queue: nil, options: talk.phone.options)
    let lonelyPeripheral = CBPeripheralManager(delegate: nil, queue: nil, options: talk.phone.options)
    let central = talk.central
    let service = try #require(talk.found.services?.first)
    talk.found.discoverServices(nil)
    talk.found.discoverIncludedServices(nil, for: service)
    talk.found.discoverCharacteristics(nil, for: service)
    talk.found.discoverServices([])
    central.manager.registerForConnectionEvents(options: nil)
    central.manager.scanForPeripherals(withServices: nil, options: nil)
    central.manager.scanForPeripherals(withServices: [], options: [:])
    central.manager.connect(talk.found, options: nil)
    #expect(central.manager.retrievePeripherals(withIdentifiers: []).isEmpty)
    #expect(central.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
    await talk.world.settle()
    #expect(talk.found.services?.count == 2 && talk.found.state == .connected)

    let bare = CBMutableService("FF77")
    bare.characteristics = nil
    bare.includedServices = nil
    let silent = CBMutableCharacteristic("FF78", .read)
    silent.descriptors = nil
    let holder = CBMutableService("FF79", [silent])
    talk.peripheral.manager.add(bare)
    talk.peripheral.manager.add(holder)
    talk.peripheral.manager.stopAdvertising()
    talk.peripheral.manager.startAdvertising(nil)
    await talk.world.settle()
    #expect(talk.peripheral.events.contains(.added("FF77", nil)) && talk.peripheral.manager.isAdvertising)
    // An answer without a value is an empty value.
    await talk.discoverAll()
    talk.peripheral.answersRequests = false
    talk.peripheral.onRead = { manager, request in
      request.value = nil
      manager.respond(to: request, withResult: .success)
    }
    try await talk.read("FF78")
    #expect(central.values.last == Data())
    withExtendedLifetime((lonely, lonelyPeripheral)) {}
  }

  @Test("values over 512 octets are refused or truncated, never sent")
  func tooLong() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    let line = try talk.characteristic("FF22")
    let long = Data((0..<600).map { UInt8(truncatingIfNeeded: $0) })
    talk.found.writeValue(long, for: line, type: .withResponse)
    await talk.found.write(Data(count: 1 << 20), to: line, in: talk.world)
    let refused = CBATTError.Code.invalidAttributeValueLength.rawValue
    #expect(talk.central.events.suffix(2) == [.written("FF22", refused), .written("FF22", refused)])
    #expect(!talk.peripheral.events.contains { $0.isWrite })
    let most = talk.found.maximumWriteValueLength(for: .withoutResponse)
    talk.found.writeValue(long, for: line, type: .withoutResponse)
    await talk.world.settle()
    #expect(talk.peripheral.values[line.uuid] == long.prefix(most))
    // The protocol truncates a program's answer: no attribute is longer.
    talk.peripheral.values[line.uuid] = long
    await talk.found.read(line, in: talk.world)
    #expect(talk.central.values.last == long.prefix(512))
    await talk.found.notify(true, line, in: talk.world)
    let central = try #require(talk.peripheral.centrals.first)
    let published = try #require(talk.peripheral.published("FF22"))
    #expect(talk.peripheral.manager.updateValue(long, for: published, onSubscribedCentrals: nil))
    await talk.world.settle()
    #expect(talk.central.values.last == long.prefix(central.maximumUpdateValueLength))
  }

  @Test("a fixed value of more than 512 octets, or a descriptor's, is refused when it is added")
  func tooLongFixed() async throws {
    let (world, program) = await World.withPublisher()
    func add(_ uuid: String, value: Int, description: Int) {
      let characteristic = CBMutableCharacteristic("FF02", .read, value: Data(count: value))
      characteristic.descriptors = [
        .userDescription(String(repeating: "x", count: description))
      ]
      let service = CBMutableService(uuid, [characteristic])
      program.manager.add(service)
    }
    add("FF10", value: 512, description: 512)
    add("FF11", value: 513, description: 0)
    add("FF12", value: 0, description: 513)
    await world.settle()
    #expect(
      program.events.dropFirst() == [
        .added("FF11", .invalidParameters), .added("FF12", .invalidParameters), .added("FF10", nil),
      ]
        || program.events.dropFirst() == [
          .added("FF10", nil), .added("FF11", .invalidParameters), .added("FF12", .invalidParameters),
        ])
  }

  @Test("empty values arrive as empty values")
  func empty() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    let line = try talk.characteristic("FF22")
    talk.peripheral.values[line.uuid] = Data("full".utf8)
    talk.found.writeValue(Data(), for: line, type: .withResponse)
    talk.found.writeValue(Data(), for: line, type: .withoutResponse)
    await talk.world.settle()
    #expect(talk.peripheral.events.suffix(2) == [.wrote([""]), .wrote([""])])
    #expect(talk.peripheral.values[line.uuid] == Data())
    talk.found.readValue(for: line)
    await talk.found.notify(true, line, in: talk.world)
    let published = try #require(talk.peripheral.published("FF22"))
    #expect(talk.peripheral.manager.updateValue(Data(), for: published, onSubscribedCentrals: nil))
    #expect(talk.peripheral.manager.updateValue(Data([1]), for: published, onSubscribedCentrals: []))
    await talk.world.settle()
    #expect(talk.central.values == [Data(), Data()])
  }

  @Test(
    "a name over the limit of advertising is shortened at a character boundary, and an empty one is no error",
    arguments: [String(repeating: "很长的名字", count: 60), "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "", "\u{0}\n\u{7F}"])
  func names(_ name: String) async throws {
    let world = World()
    let program = PeripheralApp(
      world.makeDevice("device").options,
      advertisement: [
        CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FF11")],
        "unknown key": 7, CBAdvertisementDataTxPowerLevelKey: "no number",
      ])
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    #expect(program.events == [.state(.poweredOn), .advertising(nil)])
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
    await world.advance(by: .seconds(2))
    let heard = try #require(central.sightings.last)
    #expect(name.hasPrefix(heard.name ?? ""))
    #expect((heard.name ?? "").utf8.count <= 29)
  }

  @Test("options of the wrong types are ignored, and advertising data of the wrong types is not advertised")
  func wrongTypes() async throws {
    let world = World()
    let options: [String: Any] = world.makeDevice("phone").options.merging([
      CBCentralManagerOptionRestoreIdentifierKey: 7, CBCentralManagerOptionShowPowerAlertKey: "yes",
    ]) { $1 }
    let central = CentralApp(options)
    let program = PeripheralApp(
      world.makeDevice("device").options,
      advertisement: [CBAdvertisementDataLocalNameKey: 7, CBAdvertisementDataServiceUUIDsKey: ["FF11"]])
    await world.settle()
    #expect(program.events == [.state(.poweredOn), .advertising(nil)])
    central.manager.scanForPeripherals(
      withServices: nil,
      options: [
        CBCentralManagerScanOptionAllowDuplicatesKey: Data(), CBCentralManagerScanOptionSolicitedServiceUUIDsKey: "x",
      ])
    try await world.wait(within: .seconds(2)) { !central.sightings.isEmpty }
    central.manager.connect(
      central.sightings[0].peripheral,
      options: [
        CBConnectPeripheralOptionStartDelayKey: "soon", CBConnectPeripheralOptionEnableAutoReconnect: [1],
        "unknown": NSNull(),
      ])
    central.manager.registerForConnectionEvents(options: [.serviceUUIDs: "x", .peripheralUUIDs: [7]])
    try await world.wait(within: .seconds(5)) { central.sightings[0].peripheral.state == .connected }
    for delay in [Double.nan, .infinity, -.infinity, -1, 1e300] {
      central.manager.connect(
        central.sightings[0].peripheral, options: [CBConnectPeripheralOptionStartDelayKey: delay])
    }
    await world.settle()
    #expect(central.sightings[0].peripheral.state == .connected)
  }

  @Test("100 services are published, advertised as far as there is space, and all discovered")
  func manyServices() async throws {
    let world = World()
    let services = (0..<100).map { number in
      let service = CBMutableService(
        type: CBUUID(string: String(format: "F00D%04X-0000-4000-8000-00805F9B34FB", number)), primary: true)
      service.characteristics = (0..<3).map { index in
        CBMutableCharacteristic(String(format: "A%03X", index), [.read, .notify])
      }
      return service
    }
    let talk = try await Conversation.start(in: world, with: { PeripheralApp("many", on: $0, services: services) })
    #expect(talk.found.services?.map(\.uuid) == services.map(\.uuid))
    #expect(talk.found.services?.allSatisfy { $0.characteristics?.count == 3 } == true)
    talk.central.manager.scanForPeripherals(withServices: services.map(\.uuid))
    await world.advance(by: .seconds(2))
    #expect(talk.central.names.contains { "many".hasPrefix($0) })
  }

  @Test("services beyond the handles of the attribute database are refused, and the existing ones stay")
  func tooManyServices() async throws {
    let (world, program) = await World.withPublisher()
    func service(_ uuid: String, of count: Int) -> CBMutableService {
      let service = CBMutableService(uuid)
      service.characteristics = (0..<count).map { _ in
        CBMutableCharacteristic("A000", .read)
      }
      return service
    }
    program.manager.add(service("FF01", of: 40_000))
    program.manager.add(service("FF02", of: 20_000))
    program.manager.add(service("FF03", of: 20_000))
    program.manager.add(service("FF04", of: 1))
    await world.settle()
    #expect(
      program.events.dropFirst() == [
        .added("FF01", .outOfSpace), .added("FF02", nil), .added("FF03", .outOfSpace), .added("FF04", nil),
      ])
  }
}
