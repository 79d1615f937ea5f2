import BLETestKit
import CoreBluetooth
import Testing

@Suite("A0: one central, one device", .keepsCapture)
struct OneCentralTests {
  @Test("R0.1 a new manager always reports its state, and all six states arrive in order")
  func states() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let central = CentralProgram(options: phone.options)
    #expect(central.manager.state == .unknown)
    await world.settle()
    phone.powerOff()
    await world.settle()
    phone.powerOn()
    await world.settle()
    phone.denyBluetooth()
    await world.settle()
    phone.allowBluetooth()
    await world.settle()
    phone.resetController()
    await world.advance(by: .seconds(30))
    phone.removeController()
    await world.advance(by: .seconds(120))
    #expect(
      central.events == [
        .state(.poweredOn), .state(.poweredOff), .state(.poweredOn), .state(.unauthorized), .state(.poweredOn),
        .state(.resetting), .state(.poweredOn), .state(.resetting), .state(.unsupported),
      ])
  }

  @Test("R0.1 exactly one state is reported where Bluetooth is unavailable from the start", arguments: [0, 1, 2])
  func firstState(which: Int) async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    switch which {
    case 0: phone.powerOff()
    case 1: phone.denyBluetooth()
    default: phone.removeController()
    }
    await world.advance(by: .seconds(120))
    let central = CentralProgram(options: phone.options)
    await world.advance(by: .seconds(1))
    #expect(central.events == [.state([.poweredOff, .unauthorized, .unsupported][which])])
  }

  @Test("R0.2 a scan with no filter finds all devices, a scan for services only those that have them")
  func scanning() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let lamp = PeripheralProgram(
      options: world.makeDevice("lamp").options,
      advertisement: [
        CBAdvertisementDataLocalNameKey: "lamp", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FFF0")],
      ])
    let door = PeripheralProgram.beacon("door", options: world.makeDevice("door").options)
    let central = CentralProgram(options: phone.options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    #expect(central.manager.isScanning)
    await world.advance(by: .seconds(2))
    #expect(Set(central.names) == ["lamp", "door"])
    central.sightings = []
    central.manager.scanForPeripherals(
      withServices: [CBUUID(string: "0000FFF0-0000-1000-8000-00805F9B34FB")])
    await world.advance(by: .seconds(2))
    #expect(Set(central.names) == ["lamp"])
    central.manager.stopScan()
    central.sightings = []
    await world.advance(by: .seconds(2))
    #expect(central.sightings.isEmpty && !central.manager.isScanning)
    withExtendedLifetime((lamp, door)) {}
  }

  @Test("R0.3 a device is recognised by exact name out of a set, and the program's reference keeps it")
  func recognising() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let names = ["iTAG", "itag", "iTAG2", "other"]
    let programs = names.map { PeripheralProgram.beacon($0, options: world.makeDevice($0).options) }
    let central = CentralProgram(options: phone.options)
    await world.settle()
    central.onDiscover = { [unowned central] peripheral, data in
      guard let name = data[CBAdvertisementDataLocalNameKey] as? String, ["iTAG", "ITAG"].contains(name),
        central.kept.isEmpty
      else { return }
      central.kept.append(peripheral)
      central.manager.connect(peripheral)
    }
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(3))
    #expect(central.kept.count == 1)
    #expect(central.kept.first?.state == .connected)
    #expect(central.events.contains(.connected("iTAG")))
    withExtendedLifetime(programs) {}
  }

  @Test("R0.3 a pending connection of a peripheral that no program retains is cancelled")
  func unused() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let tag = world.makeDevice("tag")
    let program = PeripheralProgram.beacon("iTAG", options: tag.options)
    let central = CentralProgram(options: phone.options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    central.manager.stopScan()
    tag.moveAway()
    await world.advance(by: .seconds(1))
    central.queue.sync {
      central.manager.connect(central.sightings[0].peripheral)
      central.sightings = []
    }
    await world.advance(by: .seconds(1))
    tag.comeBack()
    await world.advance(by: .seconds(5))
    #expect(!central.events.contains { if case .connected = $0 { true } else { false } })
    withExtendedLifetime(program) {}
  }

  @Test("R0.4 scanning stops without affecting the connection; nil discovers all services")
  func discovering() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli, discovering: false)
    talk.central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(1))
    talk.central.manager.stopScan()
    await world.advance(by: .seconds(1))
    #expect(talk.found.state == .connected)
    #expect(talk.found.services == nil)
    talk.found.discoverServices(nil)
    await world.settle()
    #expect(talk.found.services?.map(\.uuid.uuidString) == ["FFF0", "FFE0"])
  }

  @Test("R0.5 RSSI requested every 0.1 s is answered at most once a second")
  func fastRSSI() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli, discovering: false)
    for _ in 0..<100 {
      talk.found.readRSSI()
      await world.advance(by: .milliseconds(100))
    }
    let answers = talk.central.events.count { if case .rssi = $0 { true } else { false } }
    #expect((9...11).contains(answers))
  }

  @Test("R0.5 RSSI requested every two seconds is answered at that rate")
  func slowRSSI() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli, discovering: false)
    for _ in 0..<10 {
      talk.found.readRSSI()
      await world.advance(by: .seconds(2))
    }
    let answers = talk.central.events.compactMap { if case .rssi(let value) = $0 { value } else { nil } }
    #expect(answers.count == 10)
    #expect(answers.allSatisfy { (-100 ... -10).contains($0) })
  }

  @Test("R0.6 one call with a flag stops the scan only, or stops and disconnects", arguments: [false, true])
  func stopping(disconnecting: Bool) async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli, discovering: false)
    talk.central.manager.scanForPeripherals(withServices: nil)
    await world.settle()
    func stop(disconnect: Bool) {
      talk.central.manager.stopScan()
      if disconnect { talk.central.manager.cancelPeripheralConnection(talk.found) }
    }
    stop(disconnect: disconnecting)
    await world.advance(by: .seconds(1))
    #expect(!talk.central.manager.isScanning)
    #expect(talk.found.state == (disconnecting ? .disconnected : .connected))
    #expect(talk.central.events.contains(.disconnected("Owenli", nil)) == disconnecting)
  }

  @Test("R0.7 a peer that disconnects, and one that vanishes, are each reported with device and reason")
  func losing() async throws {
    for (vanishes, expected) in [(true, CBError.Code.connectionTimeout), (false, .peripheralDisconnected)] {
      let world = World()
      let talk = try await Conversation.start(in: world, with: Devices.owenli, discovering: false)
      if vanishes { talk.other.cutPower() } else { talk.other.powerOff() }
      await world.advance(by: .seconds(60))
      #expect(talk.central.events.last == .disconnected("Owenli", expected))
      #expect(talk.found.state == .disconnected)
    }
  }

  @Test("R0.7 a peer that vanishes during the handshake makes the attempt fail, or leaves it pending")
  func vanishingEarly() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let tag = world.makeDevice("tag")
    let program = PeripheralProgram.beacon("iTAG", options: tag.options)
    let central = CentralProgram(options: phone.options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    let found = central.sightings[0].peripheral
    tag.cutPowerWhenConnected()
    central.manager.connect(found)
    await world.advance(by: .seconds(60))
    let failures = central.events.filter {
      switch $0 {
      case .failedToConnect(_, let code): code == .connectionFailed || code == .connectionTimeout
      case .disconnected(_, let code): code != nil
      default: false
      }
    }
    #expect(failures.isEmpty)
    #expect(found.state == .connecting)
    central.manager.cancelPeripheralConnection(found)
    await world.advance(by: .seconds(1))
    #expect(found.state == .disconnected)
    withExtendedLifetime(program) {}
  }

  @Test("R0.8 services, then the characteristics of each, then their descriptors")
  func walking() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
    let services = try #require(talk.found.services)
    #expect(services.map { $0.characteristics?.map(\.uuid.uuidString) } == [["FFF1", "FFF2"], ["FFE1"]])
    for characteristic in services.flatMap({ $0.characteristics ?? [] }) {
      talk.found.discoverDescriptors(for: characteristic)
    }
    await world.settle()
    #expect(try talk.characteristic("FFF1").descriptors?.map(\.uuid.uuidString) == ["2902"])
    #expect(try talk.characteristic("FFF2").descriptors?.map(\.uuid.uuidString) == ["2901"])
    #expect(try talk.characteristic("FFE1").descriptors?.isEmpty == true)
  }

  @Test("R0.9 the battery level comes from 180F and 2A19 as a percentage")
  func battery() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.battery(on: $0, percent: 87) })
    talk.found.readValue(for: try talk.characteristic("2A19"))
    await world.settle()
    #expect(talk.central.values == [Data([87])])
  }

  @Test("R0.11 a changed value leads to the descriptors, whose values arrive with their documented types")
  func descriptorValues() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
    talk.central.onValue = { peripheral, characteristic in peripheral.discoverDescriptors(for: characteristic) }
    talk.found.readValue(for: try talk.characteristic("FFF2"))
    await world.settle()
    let described = try #require(try talk.characteristic("FFF2").descriptors?.first)
    talk.found.readValue(for: described)
    talk.found.discoverDescriptors(for: try talk.characteristic("FFF1"))
    await world.settle()
    let configuration = try #require(try talk.characteristic("FFF1").descriptors?.first)
    talk.found.readValue(for: configuration)
    await world.settle()
    #expect(described.value as? String == "name")
    #expect(configuration.value as? NSNumber == 0)
    #expect(talk.central.events.suffix(1) == [.descriptorValue("2902")] || configuration.value is NSNumber)
  }

  @Test("R0.12 a change of the notification state, filtered by characteristic, leads to a read and to descriptors")
  func notificationState() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    talk.peripheral.queue.sync { talk.peripheral.values[CBUUID(string: "FF22")] = Data("hello".utf8) }
    talk.central.onNotificationState = { peripheral, characteristic in
      guard characteristic.uuid == CBUUID(string: "FF22") else { return }
      peripheral.readValue(for: characteristic)
      peripheral.discoverDescriptors(for: characteristic)
    }
    talk.found.setNotifyValue(true, for: try talk.characteristic("FF22"))
    await world.settle()
    #expect(
      talk.central.events.suffix(3) == [
        .notifying("FF22", true, 0), .value("FF22", "hello"), .descriptors("FF22", nil),
      ])
  }

  @Test("R0.13 a write with response is acknowledged and read back; one that is not allowed fails with the ATT error")
  func writing() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
    talk.central.onWrite = { peripheral, characteristic, error in
      if error == nil { peripheral.readValue(for: characteristic) }
    }
    talk.found.writeValue(Data("new".utf8), for: try talk.characteristic("FFF2"), type: .withResponse)
    talk.found.writeValue(Data("no".utf8), for: try talk.characteristic("FFE1"), type: .withResponse)
    await world.settle()
    #expect(talk.central.events.contains(.written("FFF2", 0)))
    #expect(talk.central.events.contains(.value("FFF2", "new")))
    #expect(talk.central.events.contains(.written("FFE1", CBATTError.Code.writeNotPermitted.rawValue)))
  }

  @Test("R0.14 values arrive only between subscribing and unsubscribing")
  func subscribing() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let other = world.makeDevice("other")
    let (program, line) = Devices.chat(on: other)
    let central = CentralProgram(options: phone.options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    let found = central.sightings[0].peripheral
    central.manager.connect(found)
    try await world.wait(within: .seconds(5)) { found.state == .connected }
    found.discoverServices([CBUUID(string: "FF11")])
    await world.settle()
    found.discoverCharacteristics([CBUUID(string: "FF22")], for: try #require(found.services?.first))
    await world.settle()
    let characteristic = try #require(central.characteristic("FF22", of: found))
    func push(_ text: String) async {
      #expect(program.manager.updateValue(Data(text.utf8), for: line, onSubscribedCentrals: nil))
      await world.settle()
    }
    await push("before")
    found.setNotifyValue(true, for: characteristic)
    await world.settle()
    #expect(characteristic.isNotifying)
    await push("between")
    found.setNotifyValue(false, for: characteristic)
    await world.settle()
    await push("after")
    #expect(central.values == [Data("between".utf8)])
    #expect(program.events.suffix(2) == [.subscribed("FF22"), .unsubscribed("FF22")])
  }
}
