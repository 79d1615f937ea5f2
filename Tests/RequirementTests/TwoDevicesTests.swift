import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A1: two devices talk", .keepsCapture)
struct TwoDevicesTests {
  private static let greeting = "你好，世界 👋🏽 "

  @Test("R1.1 both roles in one program, and several of each in one process")
  func roles() async throws {
    let world = World()
    let devices = ["a", "b", "c"].map { world.makeDevice($0) }
    let peripherals = devices.map { PeripheralApp("beacon \($0.name)", on: $0) }
    let centrals = devices.map { CentralApp($0.options) }
    let second = CentralApp(devices[0].options)
    await world.settle()
    for central in centrals + [second] { central.manager.scanForPeripherals(withServices: nil) }
    await world.advance(by: .seconds(5))
    for (index, central) in centrals.enumerated() {
      let others = Set(devices.indices.filter { $0 != index }.map { "beacon \(devices[$0].name)" })
      #expect(Set(central.names) == others)
    }
    #expect(Set(second.names) == Set(centrals[0].names))
    let here = try centrals[0].sighted("beacon b")
    let there = try second.sighted("beacon b")
    #expect(here !== there && here.identifier == there.identifier)
    withExtendedLifetime(peripherals) {}
  }

  @Test("R1.2 found devices are listed once, by name")
  func listing() async throws {
    let world = World()
    let programs = (0..<10).map { PeripheralApp("device \($0)", on: world.makeDevice("\($0)")) }
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(30))
    #expect(central.names.sorted() == (0..<10).map { "device \($0)" })
    withExtendedLifetime(programs) {}
  }

  @Test("R1.3 FF11 with FF22 is published, and its value is answered dynamically")
  func dynamicValue() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    #expect(characteristic.properties == [.read, .write, .notify, .writeWithoutResponse])
    for text in ["one", "two"] {
      talk.peripheral.queue.sync { talk.peripheral.values[CBUUID(string: "FF22")] = Data(text.utf8) }
      await talk.found.read(characteristic, in: talk.world)
    }
    #expect(talk.central.values == [Data("one".utf8), Data("two".utf8)])
  }

  @Test("R1.4 a cached value requires a read-only characteristic")
  func cachedValue() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (world, program) = await World.withPublisher()
      let service = CBMutableService(
        "FF11", [CBMutableCharacteristic("FF22", [.read, .write], [.readable, .writeable], value: Data([1]))])
      program.manager.add(service)
      await world.settle()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Characteristics with cached values must be read-only"))
  }

  @Test("R1.4 properties that need a permission which is missing fail at add")
  func disagreement() async {
    let (world, program) = await World.withPublisher()
    let promises: [(CBCharacteristicProperties, CBAttributePermissions)] = [
      ([.read], []), ([.write], [.readable]), ([.writeWithoutResponse], []), ([.read, .write], [.writeable]),
    ]
    for (number, promise) in promises.enumerated() {
      let service = CBMutableService("FF1\(number)", [CBMutableCharacteristic("FF22", promise.0, promise.1)])
      program.manager.add(service)
      await world.settle()
      #expect(program.events.last == .added("FF1\(number)", .invalidParameters))
    }
  }

  @Test("R1.5 after didAdd the services and the name are advertised, by the overflow rules")
  func advertising() async throws {
    let world = World()
    let many = (0..<12).map { CBUUID(string: String(format: "F00D%04X-0000-4000-8000-00805F9B34FB", $0)) }
    let chat = Devices.chat(on: world.makeDevice("chat"))
    let crowded = PeripheralApp(
      "A name that is far too long for any advertisement", on: world.makeDevice("crowded"), advertises: many)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    #expect(chat.program.events.suffix(2) == [.added("FF11", nil), .advertising(nil)])
    #expect(chat.program.manager.isAdvertising)
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
    await world.advance(by: .seconds(2))
    #expect(central.names == ["My dear"])
    central.sightings = []
    central.manager.scanForPeripherals(withServices: [many[11]])
    await world.advance(by: .seconds(2))
    let data = try #require(central.sightings.last?.data)
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
    let talk = try await Conversation.start(mtu: mtu, with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    await talk.found.notify(true, characteristic, in: talk.world)
    #expect(talk.found.maximumWriteValueLength(for: .withoutResponse) == min(512, mtu - 3))
    #expect(talk.found.maximumWriteValueLength(for: .withResponse) == 512)
    for length in [1, 18, 19, 20, 21, 22, 23, 100, 182, 183, 400, 511, 512] {
      var text = ""
      while (text + Self.greeting).utf8.count <= length { text += Self.greeting }
      text += String(repeating: "x", count: length - text.utf8.count)
      await talk.found.write(Data(text.utf8), to: characteristic, in: talk.world)
      #expect(talk.central.events.last == .written("FF22", 0))
      #expect(talk.peripheral.values[characteristic.uuid] == Data(text.utf8))
      await talk.found.read(characteristic, in: talk.world)
      #expect(talk.central.values.last == Data(text.utf8))
    }
  }

  @Test("R1.6 more than 512 octets are refused with invalidAttributeValueLength")
  func tooLong() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    try await talk.write(Data(count: 513), to: "FF22")
    #expect(talk.central.events.last == .written("FF22", CBATTError.Code.invalidAttributeValueLength.rawValue))
    #expect(talk.found.state == .connected)
  }

  @Test("R1.7 read requests are answered from the offset, or refused with the error that the program chose")
  func reads() async throws {
    let talk = try await Conversation.start(mtu: 23, with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    talk.peripheral.queue.sync { talk.peripheral.values[characteristic.uuid] = Data(0..<60) }
    await talk.found.read(characteristic, in: talk.world)
    #expect(talk.central.values.last == Data(0..<60))
    let offsets = talk.peripheral.events.compactMap { if case .read(_, let offset) = $0 { offset } else { nil } }
    #expect(offsets == [0, 22, 44])
    for code in [CBATTError.Code.readNotPermitted, .insufficientResources, .unlikelyError] {
      talk.peripheral.queue.sync { talk.peripheral.judge = { _ in code } }
      await talk.found.read(characteristic, in: talk.world)
      #expect(talk.central.events.last == .valueError("FF22", code.rawValue))
    }
  }

  @Test("R1.8 a batch of writes is accepted or refused as a whole")
  func batches() async throws {
    let talk = try await Conversation.start(mtu: 23, with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    let text = String(repeating: Self.greeting, count: 5)
    talk.peripheral.queue.sync { talk.peripheral.judge = { _ in .writeNotPermitted } }
    await talk.found.write(Data(text.utf8), to: characteristic, in: talk.world)
    #expect(talk.central.events.last == .written("FF22", CBATTError.Code.writeNotPermitted.rawValue))
    #expect(talk.peripheral.values[characteristic.uuid] == nil)
    talk.peripheral.queue.sync { talk.peripheral.judge = nil }
    await talk.found.write(Data(text.utf8), to: characteristic, in: talk.world)
    #expect(talk.peripheral.values[characteristic.uuid] == Data(text.utf8))
    let batches = talk.peripheral.events.count { if case .wrote = $0 { true } else { false } }
    #expect(batches == 2)
  }

  @Test("R1.9 updates arrive once and in order; a full queue refuses, and reports when there is room")
  func pushing() async throws {
    let world = World()
    let program = Devices.chat(on: world.makeDevice("other")).program
    let central = CentralApp(world.makeDevice("phone").options)
    let found = try await central.meet(in: world)
    await found.notify(true, try found.characteristic("FF22"), in: world)
    let messages = (0..<500).map { Data("message \($0) \(Self.greeting)".utf8) }
    var (next, refusals) = (0, 0)
    // On the program's queue.
    func push() {
      while next < messages.count {
        guard program.push(messages[next], "FF22") else { return refusals += 1 }
        next += 1
      }
    }
    program.reactions["ready"] = push
    program.queue.sync { push() }
    #expect(next < messages.count)
    try await world.wait(within: .seconds(60)) { central.values.count == messages.count }
    await world.advance(by: .seconds(1))
    #expect(central.values == messages)
    #expect(refusals > 0)
    #expect(program.events.count { $0 == .ready } == refusals)
  }

  @Test("R1.9 an update for chosen subscribers reaches only them")
  func chosen() async throws {
    let world = World()
    let (program, line) = Devices.chat(on: world.makeDevice("other"))
    let phones = ["first", "second"].map { CentralApp(world.makeDevice($0).options) }
    await world.settle()
    for phone in phones {
      let found = try await phone.meet(in: world)
      await found.notify(true, try found.characteristic("FF22"), in: world)
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
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    talk.central.reactions["notifying"] = { [unowned central = talk.central, found = talk.found] in
      if !characteristic.isNotifying { central.manager.cancelPeripheralConnection(found) }
    }
    await talk.found.notify(true, characteristic, in: talk.world)
    talk.found.setNotifyValue(false, for: characteristic)
    await talk.world.advance(by: .seconds(1))
    #expect(talk.central.events.suffix(2) == [.notifying("FF22", false, 0), .disconnected("other", nil)])
    #expect(talk.peripheral.events.suffix(1) == [.unsubscribed("FF22")])
  }

  @Test("R1.11 an incoming message calls the program immediately, on its queue")
  func felt() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    try await talk.write(Data("ring".utf8), to: "FF22")
    #expect(talk.peripheral.events.last == .wrote(["ring"]))
  }

  @Test("R1.12 a chat continues after the peer has left and come back")
  func comingBack() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    talk.other.moveAway()
    try await talk.world.wait(within: .seconds(60)) { talk.found.state == .disconnected }
    talk.central.manager.connect(talk.found)
    await talk.world.advance(by: .seconds(100))
    #expect(talk.found.state == .connecting)
    talk.other.comeBack()
    try await talk.world.wait(within: .seconds(10)) { talk.found.state == .connected }
    await talk.discoverAll()
    try await talk.write(Data("{\"text\":\"🎉\"}".utf8), to: "FF22")
    #expect(talk.peripheral.events.last == .wrote(["{\"text\":\"🎉\"}"]))
  }
}
