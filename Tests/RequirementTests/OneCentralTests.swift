import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A0: one central, one device", .keepsCapture)
struct OneCentralTests {
  @Test("R0.1 a new manager always reports its state, and all six states arrive in order")
  func states() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let central = CentralApp(phone.options)
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
    let central = CentralApp(phone.options)
    await world.advance(by: .seconds(1))
    #expect(central.events == [.state([.poweredOff, .unauthorized, .unsupported][which])])
  }

  @Test("R0.2 a scan with no filter finds all devices, a scan for services only those that have them")
  func scanning() async throws {
    let world = World()
    let lamp = PeripheralApp("lamp", on: world.makeDevice("lamp"), advertises: [CBUUID(string: "FFF0")])
    let door = PeripheralApp("door", on: world.makeDevice("door"))
    let central = CentralApp(world.makeDevice("phone").options)
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
    let names = ["iTAG", "itag", "iTAG2", "other"]
    let programs = names.map { PeripheralApp($0, on: world.makeDevice($0)) }
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.onSighting = { [unowned central] sighting in
      guard ["iTAG", "ITAG"].contains(sighting.name), central.kept.isEmpty else { return }
      central.kept.append(sighting.peripheral)
      central.manager.connect(sighting.peripheral)
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
    let tag = world.makeDevice("tag")
    let program = PeripheralApp("iTAG", on: tag)
    let central = CentralApp(world.makeDevice("phone").options)
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
    let talk = try await Conversation.start(with: Devices.owenli, discovering: false)
    talk.central.manager.scanForPeripherals(withServices: nil)
    await talk.world.advance(by: .seconds(1))
    talk.central.manager.stopScan()
    await talk.world.advance(by: .seconds(1))
    #expect(talk.found.state == .connected)
    #expect(talk.found.services == nil)
    await talk.found.discoverServices(in: talk.world)
    #expect(talk.found.services?.map(\.uuid.uuidString) == ["FFF0", "FFE0"])
  }

  @Test("R0.5 RSSI requested every 0.1 s is answered at most once a second")
  func fastRSSI() async throws {
    let talk = try await Conversation.start(with: Devices.owenli, discovering: false)
    for _ in 0..<100 {
      talk.found.readRSSI()
      await talk.world.advance(by: .milliseconds(100))
    }
    let answers = talk.central.events.count { if case .rssi = $0 { true } else { false } }
    #expect((9...11).contains(answers))
  }

  @Test("R0.5 RSSI requested every two seconds is answered at that rate")
  func slowRSSI() async throws {
    let talk = try await Conversation.start(with: Devices.owenli, discovering: false)
    for _ in 0..<10 {
      talk.found.readRSSI()
      await talk.world.advance(by: .seconds(2))
    }
    let answers = talk.central.events.compactMap { if case .rssi(let value) = $0 { value } else { nil } }
    #expect(answers.count == 10)
    #expect(answers.allSatisfy { (-100 ... -10).contains($0) })
  }

  @Test("R0.6 one call with a flag stops the scan only, or stops and disconnects", arguments: [false, true])
  func stopping(disconnecting: Bool) async throws {
    let talk = try await Conversation.start(with: Devices.owenli, discovering: false)
    talk.central.manager.scanForPeripherals(withServices: nil)
    await talk.world.settle()
    func stop(disconnect: Bool) {
      talk.central.manager.stopScan()
      if disconnect { talk.central.manager.cancelPeripheralConnection(talk.found) }
    }
    stop(disconnect: disconnecting)
    await talk.world.advance(by: .seconds(1))
    #expect(!talk.central.manager.isScanning)
    #expect(talk.found.state == (disconnecting ? .disconnected : .connected))
    #expect(talk.central.events.contains(.disconnected("Owenli", nil)) == disconnecting)
  }

  @Test("R0.7 a peer that disconnects, and one that vanishes, are each reported with device and reason")
  func losing() async throws {
    for (vanishes, expected) in [(true, CBError.Code.connectionTimeout), (false, .peripheralDisconnected)] {
      let talk = try await Conversation.start(with: Devices.owenli, discovering: false)
      if vanishes { talk.other.cutPower() } else { talk.other.powerOff() }
      await talk.world.advance(by: .seconds(60))
      #expect(talk.central.events.last == .disconnected("Owenli", expected))
      #expect(talk.found.state == .disconnected)
    }
  }

  @Test("R0.7 a peer that vanishes during the handshake makes the attempt fail, or leaves it pending")
  func vanishingEarly() async throws {
    let world = World()
    let tag = world.makeDevice("tag")
    let program = PeripheralApp("iTAG", on: tag)
    let central = CentralApp(world.makeDevice("phone").options)
    let found = try await central.find(in: world)
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
    let talk = try await Conversation.start(with: Devices.owenli)
    let services = try #require(talk.found.services)
    #expect(services.map { $0.characteristics?.map(\.uuid.uuidString) } == [["FFF1", "FFF2"], ["FFE1"]])
    for characteristic in services.flatMap({ $0.characteristics ?? [] }) {
      talk.found.discoverDescriptors(for: characteristic)
    }
    await talk.world.settle()
    #expect(try talk.characteristic("FFF1").descriptors?.map(\.uuid.uuidString) == ["2902"])
    #expect(try talk.characteristic("FFF2").descriptors?.map(\.uuid.uuidString) == ["2901"])
    #expect(try talk.characteristic("FFE1").descriptors?.isEmpty == true)
  }

  @Test("R0.9 the battery level comes from 180F and 2A19 as a percentage")
  func battery() async throws {
    let talk = try await Conversation.start(with: { Devices.battery(on: $0, percent: 87) })
    try await talk.read("2A19")
    #expect(talk.central.values == [Data([87])])
  }

  @Test("R0.11 a changed value leads to the descriptors, whose values arrive with their documented types")
  func descriptorValues() async throws {
    let talk = try await Conversation.start(with: Devices.owenli)
    let named = try talk.characteristic("FFF2")
    talk.central.reactions["value"] = { [found = talk.found] in found.discoverDescriptors(for: named) }
    await talk.found.read(named, in: talk.world)
    let described = try #require(try talk.characteristic("FFF2").descriptors?.first)
    talk.found.readValue(for: described)
    talk.found.discoverDescriptors(for: try talk.characteristic("FFF1"))
    await talk.world.settle()
    let configuration = try #require(try talk.characteristic("FFF1").descriptors?.first)
    await talk.found.read(configuration, in: talk.world)
    #expect(described.value as? String == "name")
    #expect(configuration.value as? NSNumber == 0)
    #expect(talk.central.events.suffix(1) == [.descriptorValue("2902")] || configuration.value is NSNumber)
  }

  @Test("R0.12 a change of the notification state, filtered by characteristic, leads to a read and to descriptors")
  func notificationState() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    talk.peripheral.queue.sync { talk.peripheral.values[CBUUID(string: "FF22")] = Data("hello".utf8) }
    let line = try talk.characteristic("FF22")
    talk.central.reactions["notifying"] = { [unowned central = talk.central, found = talk.found] in
      guard case .notifying("FF22", _, _) = central.events.last else { return }
      found.readValue(for: line)
      found.discoverDescriptors(for: line)
    }
    await talk.found.notify(true, line, in: talk.world)
    #expect(
      talk.central.events.suffix(3) == [
        .notifying("FF22", true, 0), .value("FF22", "hello"), .descriptors("FF22", nil),
      ])
  }

  @Test("R0.13 a write with response is acknowledged and read back; one that is not allowed fails with the ATT error")
  func writing() async throws {
    let talk = try await Conversation.start(with: Devices.owenli)
    let named = try talk.characteristic("FFF2")
    talk.central.reactions["wrote"] = { [unowned central = talk.central, found = talk.found] in
      if central.events.last == .written("FFF2", 0) { found.readValue(for: named) }
    }
    talk.found.writeValue(Data("new".utf8), for: named, type: .withResponse)
    try await talk.write(Data("no".utf8), to: "FFE1")
    #expect(talk.central.events.contains(.written("FFF2", 0)))
    #expect(talk.central.events.contains(.value("FFF2", "new")))
    #expect(talk.central.events.contains(.written("FFE1", CBATTError.Code.writeNotPermitted.rawValue)))
  }

  @Test("R0.14 values arrive only between subscribing and unsubscribing")
  func subscribing() async throws {
    let world = World()
    let (program, line) = Devices.chat(on: world.makeDevice("other"))
    let central = CentralApp(world.makeDevice("phone").options)
    let found = try await central.reach(services: [CBUUID(string: "FF11")], in: world)
    await found.discoverServices([CBUUID(string: "FF11")], in: world)
    found.discoverCharacteristics([CBUUID(string: "FF22")], for: try #require(found.services?.first))
    await world.settle()
    let characteristic = try found.characteristic("FF22")
    func push(_ text: String) async {
      #expect(program.manager.updateValue(Data(text.utf8), for: line, onSubscribedCentrals: nil))
      await world.settle()
    }
    await push("before")
    await found.notify(true, characteristic, in: world)
    #expect(characteristic.isNotifying)
    await push("between")
    await found.notify(false, characteristic, in: world)
    await push("after")
    #expect(central.values == [Data("between".utf8)])
    #expect(program.events.suffix(2) == [.subscribed("FF22"), .unsubscribed("FF22")])
  }
}
