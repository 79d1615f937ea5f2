import BLETestKit
import CoreBluetooth
import Testing

@Suite("A1: two devices talk", .keepsCapture)
struct TwoDevicesTests {
  private static let greeting = "你好，世界 👋🏽 "

  @Test("R1.1 both roles in one program, and several of each in one process")
  func roles() async throws {
    let world = World()
    let devices = ["a", "b", "c"].map { world.makeDevice($0) }
    let peripherals = devices.map { PeripheralProgram.beacon("beacon \($0.name)", options: $0.options) }
    let centrals = devices.map { CentralProgram(options: $0.options) }
    let second = CentralProgram(options: devices[0].options)
    await world.settle()
    for central in centrals + [second] { central.manager.scanForPeripherals(withServices: nil) }
    await world.advance(by: .seconds(5))
    for (index, central) in centrals.enumerated() {
      let others = Set(devices.indices.filter { $0 != index }.map { "beacon \(devices[$0].name)" })
      #expect(Set(central.names) == others)
    }
    #expect(Set(second.names) == Set(centrals[0].names))
    let here = try #require(centrals[0].sighting(named: "beacon b"))
    let there = try #require(second.sighting(named: "beacon b"))
    #expect(here !== there && here.identifier == there.identifier)
    withExtendedLifetime(peripherals) {}
  }

  @Test("R1.2 found devices are listed once, by name")
  func listing() async throws {
    let world = World()
    let programs = (0..<10).map { PeripheralProgram.beacon("device \($0)", options: world.makeDevice("\($0)").options) }
    let central = CentralProgram(options: world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(30))
    #expect(central.names.sorted() == (0..<10).map { "device \($0)" })
    withExtendedLifetime(programs) {}
  }

  @Test("R1.3 FF11 with FF22 is published, and its value is answered dynamically")
  func dynamicValue() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    #expect(characteristic.properties == [.read, .write, .notify, .writeWithoutResponse])
    for text in ["one", "two"] {
      talk.peripheral.queue.sync { talk.peripheral.values[CBUUID(string: "FF22")] = Data(text.utf8) }
      talk.found.readValue(for: characteristic)
      await world.settle()
    }
    #expect(talk.central.values == [Data("one".utf8), Data("two".utf8)])
  }

  @Test("R1.4 a cached value requires a read-only characteristic")
  func cachedValue() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let world = World()
      let program = PeripheralProgram(options: world.makeDevice("device").options)
      await world.settle()
      let service = CBMutableService(type: CBUUID(string: "FF11"), primary: true)
      service.characteristics = [
        CBMutableCharacteristic(
          type: CBUUID(string: "FF22"), properties: [.read, .write], value: Data([1]),
          permissions: [.readable, .writeable])
      ]
      program.manager.add(service)
      await world.settle()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Characteristics with cached values must be read-only"))
  }

  @Test("R1.4 properties that need a permission which is missing fail at add")
  func disagreement() async {
    let world = World()
    let program = PeripheralProgram(options: world.makeDevice("device").options)
    await world.settle()
    let promises: [(CBCharacteristicProperties, CBAttributePermissions)] = [
      ([.read], []), ([.write], [.readable]), ([.writeWithoutResponse], []), ([.read, .write], [.writeable]),
    ]
    for (number, promise) in promises.enumerated() {
      let service = CBMutableService(type: CBUUID(string: "FF1\(number)"), primary: true)
      service.characteristics = [
        CBMutableCharacteristic(
          type: CBUUID(string: "FF22"), properties: promise.0, value: nil, permissions: promise.1)
      ]
      program.manager.add(service)
      await world.settle()
      #expect(program.events.last == .added("FF1\(number)", .invalidParameters))
    }
  }

  @Test("R1.5 after didAdd the services and the name are advertised, by the overflow rules")
  func advertising() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let many = (0..<12).map { CBUUID(string: String(format: "F00D%04X-0000-4000-8000-00805F9B34FB", $0)) }
    let chat = Devices.chat(on: world.makeDevice("chat"))
    let crowded = PeripheralProgram(
      options: world.makeDevice("crowded").options,
      advertisement: [
        CBAdvertisementDataLocalNameKey: "A name that is far too long for any advertisement",
        CBAdvertisementDataServiceUUIDsKey: many,
      ])
    let central = CentralProgram(options: phone.options)
    await world.settle()
    #expect(chat.program.events.suffix(2) == [.added("FF11", nil), .advertising(nil)])
    #expect(chat.program.manager.isAdvertising)
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
    await world.advance(by: .seconds(2))
    #expect(central.names == ["My dear"])
    central.sightings = []
    central.manager.scanForPeripherals(withServices: [many[11]])
    await world.advance(by: .seconds(2))
    let data = try #require(central.sightings.last?.advertisement)
    let overflow = try #require(data[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID])
    #expect(overflow.contains(many[11]))
    let name = try #require(central.names.last)
    #expect("A name that is far too long for any advertisement".hasPrefix(name))
    chat.program.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "again"])
    await world.settle()
    #expect(chat.program.events.last == .advertising(.alreadyAdvertising))
    withExtendedLifetime(crowded) {}
  }

  @Test("R1.6 text of 1 to 512 octets arrives whole, whatever the MTU", arguments: [23, 64, 185, 517])
  func longText(mtu: Int) async throws {
    let world = World()
    let talk = try await Conversation.start(
      in: world,
      with: { device in
        device.setMaximumTransmissionUnit(mtu)
        return Devices.chat(on: device).program
      })
    let characteristic = try talk.characteristic("FF22")
    talk.found.setNotifyValue(true, for: characteristic)
    await world.settle()
    #expect(talk.found.maximumWriteValueLength(for: .withoutResponse) == min(512, mtu - 3))
    #expect(talk.found.maximumWriteValueLength(for: .withResponse) == 512)
    for length in [1, 18, 19, 20, 21, 22, 23, 100, 182, 183, 400, 511, 512] {
      var text = ""
      while (text + Self.greeting).utf8.count <= length { text += Self.greeting }
      text += String(repeating: "x", count: length - text.utf8.count)
      talk.found.writeValue(Data(text.utf8), for: characteristic, type: .withResponse)
      await world.settle()
      #expect(talk.central.events.last == .written("FF22", 0))
      #expect(talk.peripheral.values[characteristic.uuid] == Data(text.utf8))
      talk.found.readValue(for: characteristic)
      await world.settle()
      #expect(talk.central.values.last == Data(text.utf8))
    }
  }

  @Test("R1.6 more than 512 octets are refused with invalidAttributeValueLength")
  func tooLong() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    talk.found.writeValue(Data(count: 513), for: try talk.characteristic("FF22"), type: .withResponse)
    await world.settle()
    #expect(talk.central.events.last == .written("FF22", CBATTError.Code.invalidAttributeValueLength.rawValue))
    #expect(talk.found.state == .connected)
  }

  @Test("R1.7 read requests are answered from the offset, or refused with the error that the program chose")
  func reads() async throws {
    let world = World()
    let talk = try await Conversation.start(
      in: world,
      with: { device in
        device.setMaximumTransmissionUnit(23)
        return Devices.chat(on: device).program
      })
    let characteristic = try talk.characteristic("FF22")
    talk.peripheral.queue.sync { talk.peripheral.values[characteristic.uuid] = Data(0..<60) }
    talk.found.readValue(for: characteristic)
    await world.settle()
    #expect(talk.central.values.last == Data(0..<60))
    let offsets = talk.peripheral.events.compactMap { if case .read(_, let offset) = $0 { offset } else { nil } }
    #expect(offsets == [0, 22, 44])
    for code in [CBATTError.Code.readNotPermitted, .insufficientResources, .unlikelyError] {
      talk.peripheral.queue.sync { talk.peripheral.judge = { _ in code } }
      talk.found.readValue(for: characteristic)
      await world.settle()
      #expect(talk.central.events.last == .valueError("FF22", code.rawValue))
    }
  }

  @Test("R1.8 a batch of writes is accepted or refused as a whole")
  func batches() async throws {
    let world = World()
    let talk = try await Conversation.start(
      in: world,
      with: { device in
        device.setMaximumTransmissionUnit(23)
        return Devices.chat(on: device).program
      })
    let characteristic = try talk.characteristic("FF22")
    let text = String(repeating: Self.greeting, count: 5)
    talk.peripheral.queue.sync { talk.peripheral.judge = { _ in .writeNotPermitted } }
    talk.found.writeValue(Data(text.utf8), for: characteristic, type: .withResponse)
    await world.settle()
    #expect(talk.central.events.last == .written("FF22", CBATTError.Code.writeNotPermitted.rawValue))
    #expect(talk.peripheral.values[characteristic.uuid] == nil)
    talk.peripheral.queue.sync { talk.peripheral.judge = nil }
    talk.found.writeValue(Data(text.utf8), for: characteristic, type: .withResponse)
    await world.settle()
    #expect(talk.peripheral.values[characteristic.uuid] == Data(text.utf8))
    let batches = talk.peripheral.events.count { if case .wrote = $0 { true } else { false } }
    #expect(batches == 2)
  }

  @Test("R1.9 updates arrive once and in order; a full queue refuses, and reports when there is room")
  func pushing() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let (program, line) = Devices.chat(on: world.makeDevice("other"))
    let central = CentralProgram(options: phone.options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    let found = central.sightings[0].peripheral
    central.manager.connect(found)
    try await world.wait(within: .seconds(5)) { found.state == .connected }
    found.discoverServices(nil)
    await world.settle()
    found.discoverCharacteristics(nil, for: try #require(found.services?.first))
    await world.settle()
    found.setNotifyValue(true, for: try #require(central.characteristic("FF22", of: found)))
    await world.settle()
    let messages = (0..<500).map { Data("message \($0) \(Self.greeting)".utf8) }
    let state = Pusher(program: program, line: line, messages: messages)
    program.onReady = { state.push() }
    program.queue.sync { state.push() }
    #expect(state.next < messages.count)
    try await world.wait(within: .seconds(60)) { central.values.count == messages.count }
    await world.advance(by: .seconds(1))
    #expect(central.values == messages)
    #expect(state.refusals > 0)
    #expect(program.events.count { $0 == .ready } == state.refusals)
  }

  /// `@unchecked Sendable`: used on the program's queue only.
  private final class Pusher: @unchecked Sendable {
    let program: PeripheralProgram
    let line: CBMutableCharacteristic
    let messages: [Data]
    var next = 0
    var refusals = 0
    init(program: PeripheralProgram, line: CBMutableCharacteristic, messages: [Data]) {
      self.program = program
      self.line = line
      self.messages = messages
    }
    func push() {
      while next < messages.count {
        guard program.manager.updateValue(messages[next], for: line, onSubscribedCentrals: nil) else {
          refusals += 1
          return
        }
        next += 1
      }
    }
  }

  @Test("R1.9 an update for chosen subscribers reaches only them")
  func chosen() async throws {
    let world = World()
    let (program, line) = Devices.chat(on: world.makeDevice("other"))
    let phones = ["first", "second"].map { CentralProgram(options: world.makeDevice($0).options) }
    await world.settle()
    for phone in phones {
      phone.manager.scanForPeripherals(withServices: nil)
      try await world.wait(within: .seconds(5)) { !phone.sightings.isEmpty }
      let found = phone.sightings[0].peripheral
      phone.manager.connect(found)
      try await world.wait(within: .seconds(5)) { found.state == .connected }
      found.discoverServices(nil)
      await world.settle()
      found.discoverCharacteristics(nil, for: try #require(found.services?.first))
      await world.settle()
      found.setNotifyValue(true, for: try #require(phone.characteristic("FF22", of: found)))
      await world.settle()
    }
    #expect(program.centrals.count == 2 && line.subscribedCentrals?.count == 2)
    #expect(program.manager.updateValue(Data("both".utf8), for: line, onSubscribedCentrals: nil))
    #expect(program.manager.updateValue(Data("second".utf8), for: line, onSubscribedCentrals: [program.centrals[1]]))
    await world.settle()
    #expect(phones[0].values == [Data("both".utf8)])
    #expect(phones[1].values == [Data("both".utf8), Data("second".utf8)])
  }

  @Test("R1.10 unsubscribing ends in disconnection where the program wants it so")
  func leaving() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    talk.central.onNotificationState = { [unowned central = talk.central] peripheral, characteristic in
      if !characteristic.isNotifying { central.manager.cancelPeripheralConnection(peripheral) }
    }
    talk.found.setNotifyValue(true, for: characteristic)
    await world.settle()
    talk.found.setNotifyValue(false, for: characteristic)
    await world.advance(by: .seconds(1))
    #expect(talk.central.events.suffix(2) == [.notifying("FF22", false, 0), .disconnected("other", nil)])
    #expect(talk.peripheral.events.suffix(1) == [.unsubscribed("FF22")])
  }

  @Test("R1.11 an incoming message calls the program immediately, on its queue")
  func felt() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    talk.found.writeValue(Data("ring".utf8), for: try talk.characteristic("FF22"), type: .withResponse)
    await world.settle()
    #expect(talk.peripheral.events.last == .wrote(["ring"]))
  }

  @Test("R1.12 a chat continues after the peer has left and come back")
  func comingBack() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    talk.other.moveAway()
    try await world.wait(within: .seconds(60)) { talk.found.state == .disconnected }
    talk.central.manager.connect(talk.found)
    await world.advance(by: .seconds(100))
    #expect(talk.found.state == .connecting)
    talk.other.comeBack()
    try await world.wait(within: .seconds(10)) { talk.found.state == .connected }
    await talk.discoverEverything()
    talk.found.writeValue(Data("{\"text\":\"🎉\"}".utf8), for: try talk.characteristic("FF22"), type: .withResponse)
    await world.settle()
    #expect(talk.peripheral.events.last == .wrote(["{\"text\":\"🎉\"}"]))
  }
}
