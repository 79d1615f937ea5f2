import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 3: known devices", .keepsCapture)
struct CentralRetrievingTests {
  @Test("B3.17 known identifiers give their peripherals, in the requested order, disconnected")
  func byIdentifier() async throws {
    let meeting = try await Meeting.withTag()
    let (world, manager) = (meeting.world, try #require(meeting.central.manager))
    world.makeScriptedDevice("second").advertise(Advertisement.named("second"))
    let second = try await Meeting.find("second", by: meeting.central, in: world)
    let wanted = [second.identifier, UUID(), meeting.found.identifier]
    let found = manager.retrievePeripherals(withIdentifiers: wanted)
    #expect(found.map(\.identifier) == [wanted[0], wanted[2]])
    #expect(found[0] === second && found[1] === meeting.found)
    #expect(manager.retrievePeripherals(withIdentifiers: []).isEmpty)
    // A manager that has not found it gets it from the machine's known devices.
    let other = CentralApp(meeting.phone.options)
    await world.settle()
    let theirs = try #require(other.manager.retrievePeripherals(withIdentifiers: [second.identifier]).first)
    #expect(theirs !== second && theirs.state == .disconnected && theirs.name == "second")
    other.manager.connect(theirs)
    await world.advance(by: .seconds(3))
    #expect(theirs.state == .connected)
  }

  @Test("B3.17 below powered on nothing is retrieved, with a line in the log")
  func poweredOff() async throws {
    let meeting = try await Meeting.withTag()
    meeting.phone.powerOff()
    await meeting.world.advance(by: .seconds(1))
    #expect(meeting.central.manager.retrievePeripherals(withIdentifiers: [meeting.found.identifier]).isEmpty)
    #expect(meeting.central.manager.retrieveConnectedPeripherals(withServices: [.of("FFF0")]).isEmpty)
    #expect(meeting.complaints.count == 2)
    for line in meeting.complaints {
      #expect(line.hasSuffix("can only accept this command while in the powered on state"))
    }
  }

  @Test(
    "B3.18 devices connected by any manager are found by their services, and must be connected here too")
  func byService() async throws {
    let meeting = try await Meeting.talking()
    let other = CentralApp(meeting.phone.options)
    await meeting.world.settle()
    #expect(other.manager.retrieveConnectedPeripherals(withServices: [.of("180D")]).isEmpty)
    #expect(other.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
    let found = other.manager.retrieveConnectedPeripherals(withServices: [.of("180D"), .of("FFF0")])
    let theirs = try #require(found.first)
    #expect(found.count == 1 && theirs.identifier == meeting.found.identifier && theirs.state == .disconnected)
    await theirs.discoverServices(in: meeting.world)
    #expect(other.told == ["state 5"])
    other.manager.connect(theirs)
    await meeting.world.settle()
    #expect(theirs.state == .connected)
    await meeting.disconnect()
    #expect(theirs.state == .connected)
    other.manager.cancelPeripheralConnection(theirs)
    await meeting.world.advance(by: .seconds(1))
    #expect(other.manager.retrieveConnectedPeripherals(withServices: [.of("FFF0")]).isEmpty)
  }

  @Test(
    "B3.19 an identifier is not the address, differs on two hosts, and differs for another private address")
  func identifiers() async throws {
    let world = World()
    let address = DeviceAddress(0x00C0_FFEE_1234, kind: .public)
    world.makeScriptedDevice("tag", address: address).advertise(Advertisement.named("tag"))
    // Two resolvable private addresses, as one device uses them one after the other.
    for (name, value) in [("early", 0x4000_0000_0001), ("late", 0x4000_0000_0002)] as [(String, UInt64)] {
      let device = world.makeScriptedDevice(name, address: DeviceAddress(value, kind: .random))
      device.advertise(Advertisement.named(name))
    }
    var identifiers: [String: [UUID]] = [:]
    for number in 0..<2 {
      let central = CentralApp(world.makeDevice("phone \(number)").options)
      for name in ["tag", "early", "late"] {
        identifiers[name, default: []].append(try await Meeting.find(name, by: central, in: world).identifier)
      }
    }
    let all = identifiers.values.flatMap { $0 }
    #expect(Set(all).count == 6)
    let digits = "C0FFEE1234"
    #expect(!all.contains { $0.uuidString.replacingOccurrences(of: "-", with: "").contains(digits) })
  }

  @Test("B3.19 B3.20 an identifier stays the same when Bluetooth, the manager or the whole process restarts")
  func restarts() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-behaviour-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let address = DeviceAddress(0x00C0_FFEE_1234, kind: .public)
    func process(in folder: URL, looks: Bool, _ known: UUID?) async throws -> UUID? {
      let world = World()
      world.makeScriptedDevice("tag", address: address).advertise(Advertisement.named("tag"))
      let phone = world.makeDevice("phone", keepingPeersIn: folder.path)
      let central = CentralApp(phone.options)
      await world.settle()
      if !looks { return central.manager.retrievePeripherals(withIdentifiers: [try #require(known)]).first?.identifier }
      let first = try await Meeting.find("tag", by: central, in: world).identifier
      phone.powerOff()
      await world.settle()
      phone.powerOn()
      await world.settle()
      let second = try await Meeting.find("tag", by: CentralApp(phone.options), in: world).identifier
      #expect(first == second)
      phone.flushPeers()
      return second
    }
    let identifier = try #require(try await process(in: folder, looks: true, nil))
    #expect(try await process(in: folder, looks: false, identifier) == identifier)
    #expect(try await process(in: folder, looks: true, nil) == identifier)
    let elsewhere = folder.appendingPathComponent("another user")
    #expect(try await process(in: elsewhere, looks: true, nil) != identifier)
  }

  @Test(
    "B3.21 connections of any app are reported to managers registered for the service or the peripheral; nil ends it")
  func connectionEvents() async throws {
    let meeting = try await Meeting.talking()
    let (world, busy) = (meeting.world, meeting.central)
    let watchers: [(CentralApp, [CBConnectionEventMatchingOption: Any])] = [
      (CentralApp(meeting.phone.options), [.serviceUUIDs: [CBUUID(string: "FFF0")]]),
      (CentralApp(meeting.phone.options), [.peripheralUUIDs: [meeting.found.identifier]]),
      (
        CentralApp(meeting.phone.options),
        [.serviceUUIDs: [CBUUID(string: "180D")], .peripheralUUIDs: [meeting.found.identifier]]
      ),
      (CentralApp(meeting.phone.options), [.serviceUUIDs: [CBUUID(string: "180D")], .peripheralUUIDs: [UUID()]]),
    ]
    await world.settle()
    for (watcher, options) in watchers { watcher.manager.registerForConnectionEvents(options: options) }
    await world.settle()
    busy.manager.cancelPeripheralConnection(meeting.found)
    await world.advance(by: .seconds(2))
    let gone = "event \(CBConnectionEvent.peerDisconnected.rawValue) lamp"
    for (index, (watcher, _)) in watchers.enumerated() {
      #expect(watcher.told.contains(gone) == (index < 3))
      watcher.forget()
      watcher.manager.registerForConnectionEvents(options: nil)
    }
    _ = try await meeting.connected()
    #expect(watchers.allSatisfy { $0.0.told.isEmpty })
  }
}
