import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Objects of another manager or connection, and objects that have become invalid.
@Suite("Bad input: objects", .keepsCapture)
struct WrongObjectTests {
  private static func misuses(_ world: World) -> [String] {
    world.logLines.map(\.text).filter { $0.hasPrefix("API MISUSE") }
  }

  @Test("a peripheral of another manager is neither connected nor cancelled, and the log says so")
  func otherManagersPeripheral() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
    let stranger = CentralApp(world.makeDevice("stranger").options)
    let neighbour = CentralApp(talk.phone.options)
    await world.settle()
    for other in [stranger, neighbour] {
      world.removeLogLines()
      other.manager.connect(talk.found)
      other.manager.cancelPeripheralConnection(talk.found)
      await world.settle()
      #expect(Self.misuses(world).count == 2)
      #expect(Self.misuses(world).allSatisfy { $0.contains("is not a peripheral of") })
      #expect(other.events == [.state(.poweredOn)])
    }
    #expect(talk.found.state == .connected)
    try await talk.read("FFF2")
    #expect(talk.central.values == [Data("owenli".utf8)])
  }

  @Test("characteristics, services and descriptors of another peripheral are answered with invalid handle")
  func otherPeripheralsAttributes() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
    let chat = Devices.chat(on: world.makeDevice("chat"))
    await world.settle()
    talk.central.sightings = []
    let other = try await talk.central.reach(services: [CBUUID(string: "FF11")], in: world)
    let line = try talk.characteristic("FFF2")
    await talk.found.discoverDescriptors(for: line, in: world)
    let descriptor = try #require(line.descriptors?.first)
    let service = try #require(line.service)
    talk.central.events = []
    other.readValue(for: line)
    other.writeValue(Data("x".utf8), for: line, type: .withResponse)
    other.writeValue(Data("x".utf8), for: line, type: .withoutResponse)
    other.setNotifyValue(true, for: line)
    other.discoverDescriptors(for: line)
    other.discoverCharacteristics(nil, for: service)
    other.discoverIncludedServices(nil, for: service)
    other.readValue(for: descriptor)
    other.writeValue(Data("x".utf8), for: descriptor)
    await world.settle()
    let refusal = "The handle is invalid."
    #expect(
      talk.central.events == [
        .valueError("FFF2", 1), .written("FFF2", 1), .notifying("FFF2", false, 1), .descriptors("FFF2", refusal),
        .characteristics("FFF0", refusal), .included("FFF0", refusal), .descriptorValue("2901"),
        .descriptorWritten("2901", 1),
      ])
    #expect(Self.misuses(world).contains { $0.contains("nothing is written") })
    // Neither device was touched.
    #expect(!talk.peripheral.events.contains { $0.isWrite } && !chat.program.events.contains { $0.isWrite })
    await talk.found.read(line, in: world)
    #expect(talk.central.values == [Data("owenli".utf8)])
  }

  @Test("a service that was removed answers no requests, on either side, and the link stays")
  func removedService() async throws {
    let world = World()
    let service = CBMutableService("FF01")
    let line = CBMutableCharacteristic("FF02", [.read, .write, .notify], [.readable, .writeable])
    service.characteristics = [line]
    var waiting: [CBATTRequest] = []
    let talk = try await Conversation.start(
      in: world, with: { PeripheralApp($0.options, services: [service], advertisement: [:]) })
    let found = try talk.characteristic("FF02")
    await talk.found.notify(true, found, in: world)
    // A request waits for its answer while its service is removed.
    talk.peripheral.judge = { requests in
      waiting += requests
      talk.peripheral.manager.remove(service)
      return .success
    }
    talk.peripheral.values = [line.uuid: Data("late".utf8)]
    await talk.found.read(found, in: world)
    #expect(waiting.count == 1 && line.subscribedCentrals?.isEmpty == true)
    #expect(talk.central.events.contains(.modified(["FF01"])))
    world.removeLogLines()
    #expect(!talk.peripheral.manager.updateValue(Data([1]), for: line, onSubscribedCentrals: nil))
    #expect(Self.misuses(world).contains { $0.contains("is not published by") })
    talk.peripheral.manager.respond(to: waiting[0], withResult: .success)
    talk.peripheral.manager.remove(service)
    talk.central.events = []
    talk.found.readValue(for: found)
    talk.found.writeValue(Data([1]), for: found, type: .withResponse)
    await talk.found.notify(false, found, in: world)
    #expect(
      talk.central.events == [.valueError("FF02", 1), .written("FF02", 1), .notifying("FF02", false, 1)])
    // It can be added again.
    talk.peripheral.judge = nil
    talk.peripheral.manager.add(service)
    await world.settle()
    await talk.discoverAll()
    try await talk.read("FF02")
    #expect(talk.central.values.last == Data("late".utf8))
  }

  @Test("requests, services and characteristics of another peripheral manager are ignored")
  func otherPeripheralManagersObjects() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
    let stranger = Devices.chat(on: world.makeDevice("stranger"))
    let neighbour = Devices.chat(on: talk.other)
    await world.settle()
    var waiting: [CBATTRequest] = []
    talk.peripheral.answersRequests = false
    talk.peripheral.onRead = { waiting.append($1) }
    talk.found.readValue(for: try talk.characteristic("FFF2"))
    try await world.wait(within: .seconds(2)) { !waiting.isEmpty }
    let request = waiting[0]
    for other in [stranger.program, neighbour.program] {
      request.value = Data("forged".utf8)
      other.manager.respond(to: request, withResult: .success)
      other.manager.setDesiredConnectionLatency(.low, for: request.central)
      await world.advance(by: .seconds(1))
      #expect(talk.central.values.isEmpty)
    }
    #expect(Self.misuses(world).filter { $0.contains("is not a request to") }.count == 2)
    request.value = Data("true".utf8)
    talk.peripheral.manager.respond(to: request, withResult: .success)
    await world.settle()
    #expect(talk.central.values == [Data("true".utf8)])

    let service = try #require(neighbour.line.service as? CBMutableService)
    talk.peripheral.manager.remove(service)
    stranger.program.manager.remove(service)
    #expect(
      !talk.peripheral.manager.updateValue(Data([1]), for: neighbour.line, onSubscribedCentrals: [request.central]))
    await talk.discoverAll()
    #expect(try talk.characteristic("FF22").service?.uuid == service.uuid)
  }

  @Test("objects of a connection that has ended are answered with an error, not used, in the next one")
  func oldConnection() async throws {
    let talk = try await Conversation.start(with: Devices.owenli)
    let old = try talk.characteristic("FFF2")
    talk.central.manager.cancelPeripheralConnection(talk.found)
    await talk.world.settle()
    talk.world.removeLogLines()
    talk.central.events = []
    await talk.found.read(old, in: talk.world)
    #expect(talk.central.events.isEmpty)
    #expect(Self.misuses(talk.world).contains { $0.contains("can only accept commands while in the connected state") })
    try await talk.connect()
    talk.central.events = []
    await talk.found.read(old, in: talk.world)
    #expect(talk.central.events.first == .valueError("FFF2", 1))
    #expect(old.service == nil || old.service?.peripheral === talk.found)
  }
}
