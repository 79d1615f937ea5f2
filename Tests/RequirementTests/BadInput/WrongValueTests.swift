import BLETestKit
import CoreBluetooth
import Testing

/// Values that are missing, empty, too long or too many.
@Suite("Bad input: values", .keepsCapture)
struct WrongValueTests {
  @Test("nil is accepted wherever Apple's interface accepts it")
  func nothing() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
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
    await world.settle()
    #expect(talk.found.services?.count == 2 && talk.found.state == .connected)

    let bare = CBMutableService(type: CBUUID(string: "FF77"), primary: true)
    bare.characteristics = nil
    bare.includedServices = nil
    let silent = CBMutableCharacteristic(
      type: CBUUID(string: "FF78"), properties: .read, value: nil, permissions: .readable)
    silent.descriptors = nil
    let holder = CBMutableService(type: CBUUID(string: "FF79"), primary: true)
    holder.characteristics = [silent]
    talk.peripheral.manager.add(bare)
    talk.peripheral.manager.add(holder)
    talk.peripheral.manager.stopAdvertising()
    talk.peripheral.manager.startAdvertising(nil)
    await world.settle()
    #expect(talk.peripheral.events.contains(.added("FF77", nil)) && talk.peripheral.manager.isAdvertising)
    // An answer without a value is an empty value.
    await talk.discoverEverything()
    talk.peripheral.answersRequests = false
    talk.peripheral.onRequest = { request in
      request.value = nil
      talk.peripheral.manager.respond(to: request, withResult: .success)
    }
    talk.found.readValue(for: try talk.characteristic("FF78"))
    await world.settle()
    #expect(central.values.last == Data())
    withExtendedLifetime((lonely, lonelyPeripheral)) {}
  }

  @Test("values over 512 octets are refused or truncated, never sent")
  func tooLong() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    let line = try talk.characteristic("FF22")
    let long = Data((0..<600).map { UInt8(truncatingIfNeeded: $0) })
    talk.found.writeValue(long, for: line, type: .withResponse)
    talk.found.writeValue(Data(count: 1 << 20), for: line, type: .withResponse)
    await world.settle()
    let refused = CBATTError.Code.invalidAttributeValueLength.rawValue
    #expect(talk.central.events.suffix(2) == [.written("FF22", refused), .written("FF22", refused)])
    #expect(!talk.peripheral.events.contains { $0.isWrite })
    let most = talk.found.maximumWriteValueLength(for: .withoutResponse)
    talk.found.writeValue(long, for: line, type: .withoutResponse)
    await world.settle()
    #expect(talk.peripheral.values[line.uuid] == long.prefix(most))
    // The protocol truncates a program's answer: no attribute is longer.
    talk.peripheral.values[line.uuid] = long
    talk.found.readValue(for: line)
    await world.settle()
    #expect(talk.central.values.last == long.prefix(512))
    talk.found.setNotifyValue(true, for: line)
    await world.settle()
    let central = try #require(talk.peripheral.centrals.first)
    let published = try #require(talk.peripheral.published("FF22"))
    #expect(talk.peripheral.manager.updateValue(long, for: published, onSubscribedCentrals: nil))
    await world.settle()
    #expect(talk.central.values.last == long.prefix(central.maximumUpdateValueLength))
  }

  @Test("a fixed value of more than 512 octets, or a descriptor's, is refused when it is added")
  func tooLongFixed() async throws {
    let world = World()
    let program = PeripheralProgram(options: world.makeDevice("device").options)
    await world.settle()
    func add(_ uuid: String, value: Int, description: Int) {
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "FF02"), properties: .read, value: Data(count: value), permissions: .readable)
      characteristic.descriptors = [
        CBMutableDescriptor(
          type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString),
          value: String(repeating: "x", count: description))
      ]
      let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
      service.characteristics = [characteristic]
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
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    let line = try talk.characteristic("FF22")
    talk.peripheral.values[line.uuid] = Data("full".utf8)
    talk.found.writeValue(Data(), for: line, type: .withResponse)
    talk.found.writeValue(Data(), for: line, type: .withoutResponse)
    await world.settle()
    #expect(talk.peripheral.events.suffix(2) == [.wrote([""]), .wrote([""])])
    #expect(talk.peripheral.values[line.uuid] == Data())
    talk.found.readValue(for: line)
    talk.found.setNotifyValue(true, for: line)
    await world.settle()
    let published = try #require(talk.peripheral.published("FF22"))
    #expect(talk.peripheral.manager.updateValue(Data(), for: published, onSubscribedCentrals: nil))
    #expect(talk.peripheral.manager.updateValue(Data([1]), for: published, onSubscribedCentrals: []))
    await world.settle()
    #expect(talk.central.values == [Data(), Data()])
  }

  @Test(
    "a name over the limit of advertising is shortened at a character boundary, and an empty one is no error",
    arguments: [String(repeating: "很长的名字", count: 60), "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "", "\u{0}\n\u{7F}"])
  func names(_ name: String) async throws {
    let world = World()
    let program = PeripheralProgram(
      options: world.makeDevice("device").options,
      advertisement: [
        CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FF11")],
        "unknown key": 7, CBAdvertisementDataTxPowerLevelKey: "no number",
      ])
    let central = CentralProgram(options: world.makeDevice("phone").options)
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
    let phone = world.makeDevice("phone")
    let options: [String: Any] = phone.options.merging([
      CBCentralManagerOptionRestoreIdentifierKey: 7, CBCentralManagerOptionShowPowerAlertKey: "yes",
    ]) { $1 }
    let central = CentralProgram(options: options)
    let program = PeripheralProgram(
      options: world.makeDevice("device").options,
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
        CBMutableCharacteristic(
          type: CBUUID(string: String(format: "A%03X", index)), properties: [.read, .notify], value: nil,
          permissions: .readable)
      }
      return service
    }
    let talk = try await Conversation.start(
      in: world,
      with: {
        PeripheralProgram(
          options: $0.options, services: services,
          advertisement: [
            CBAdvertisementDataLocalNameKey: "many", CBAdvertisementDataServiceUUIDsKey: services.map(\.uuid),
          ])
      })
    #expect(talk.found.services?.map(\.uuid) == services.map(\.uuid))
    #expect(talk.found.services?.allSatisfy { $0.characteristics?.count == 3 } == true)
    talk.central.manager.scanForPeripherals(withServices: services.map(\.uuid))
    await world.advance(by: .seconds(2))
    #expect(talk.central.names.contains { "many".hasPrefix($0) })
  }

  @Test("services beyond the handles of the attribute database are refused, and the existing ones stay")
  func tooManyServices() async throws {
    let world = World()
    let program = PeripheralProgram(options: world.makeDevice("device").options)
    await world.settle()
    func service(_ uuid: String, of count: Int) -> CBMutableService {
      let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
      service.characteristics = (0..<count).map { _ in
        CBMutableCharacteristic(
          type: CBUUID(string: "A000"), properties: .read, value: nil, permissions: .readable)
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
