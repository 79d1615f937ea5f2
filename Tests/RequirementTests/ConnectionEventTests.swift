import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

extension CentralApp {
  /// The connection events so far.
  fileprivate var kinds: [CBConnectionEvent] { connectionEvents.map(\.event) }
}

@Suite("Connection events", .keepsCapture)
struct ConnectionEventTests {
  @Test("a manager is notified of connections of other managers to peers with its services, and of their ends")
  func services() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let talk = CentralApp(phone.options)
    let observer = CentralApp(phone.options)
    let uninterested = CentralApp(phone.options)
    let owenli = Devices.owenli(on: world.makeDevice("owenli"))
    await world.settle()
    observer.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "FFE0")]])
    uninterested.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
    let found = try await talk.reach(in: world)
    await found.discoverServices(in: world)
    #expect(observer.kinds == [.peerConnected])
    let peer = try #require(observer.connectionEvents.first?.peripheral)
    #expect(peer !== found && peer.identifier == found.identifier && peer.state == .disconnected)
    // It can be used here too, without a new link.
    observer.manager.connect(peer)
    await world.settle()
    #expect(peer.state == .connected && observer.kinds == [.peerConnected])
    observer.manager.cancelPeripheralConnection(peer)
    talk.manager.cancelPeripheralConnection(found)
    await world.settle()
    #expect(observer.kinds == [.peerConnected, .peerDisconnected])
    #expect(observer.connectionEvents.last?.peripheral === peer)
    #expect(uninterested.connectionEvents.isEmpty)
    withExtendedLifetime(owenli) {}
  }

  @Test("a service that is not advertised counts once any program has discovered it")
  func discovered() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let battery = Devices.battery(on: world.makeDevice("battery"), percent: 7)
    let talk = CentralApp(phone.options)
    let observer = CentralApp(phone.options)
    await world.settle()
    observer.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180F")]])
    let found = try await talk.reach(in: world)
    #expect(observer.kinds.isEmpty)
    await found.discoverServices(in: world)
    await found.discoverServices(in: world)
    #expect(observer.kinds == [.peerConnected])
    battery.manager.removeAllServices()
    await world.settle()
    talk.manager.cancelPeripheralConnection(found)
    await world.settle()
    #expect(observer.kinds == [.peerConnected, .peerDisconnected])
  }

  @Test(
    "peripherals are matched by identifier as well, also those that connect to this device; nil ends the registration")
  func identifiers() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let shop = world.makeDevice("shop")
    let owenli = Devices.owenli(on: shop)
    let talk = CentralApp(phone.options)
    let observer = CentralApp(phone.options)
    await world.settle()
    let found = try await talk.find(in: world)
    observer.manager.registerForConnectionEvents(options: [
      .peripheralUUIDs: [found.identifier], .serviceUUIDs: [CBUUID(string: "180D")],
    ])
    for isRegistered in [true, false] {
      if !isRegistered { observer.manager.registerForConnectionEvents(options: nil) }
      observer.connectionEvents = []
      try await talk.connect(to: found, in: world)
      shop.moveAway()
      try await world.wait(within: .seconds(20)) { found.state == .disconnected }
      await world.settle()
      #expect(observer.kinds == (isRegistered ? [.peerConnected, .peerDisconnected] : []))
      shop.comeBack()
    }
    withExtendedLifetime(owenli) {}
  }

  @Test("only four services are matched, and the log says so")
  func limit() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let observer = CentralApp(phone.options)
    let talk = CentralApp(phone.options)
    let owenli = Devices.owenli(on: world.makeDevice("owenli"))
    await world.settle()
    observer.manager.registerForConnectionEvents(options: [
      .serviceUUIDs: ["1811", "1812", "1813", "1814", "FFF0"].map { CBUUID(string: $0) }
    ])
    talk.manager.connect(try await talk.find(in: world))
    await world.settle()
    #expect(observer.connectionEvents.isEmpty)
    #expect(world.logLines.contains { $0.text.contains("API MISUSE: only 4 services can be matched") })
    withExtendedLifetime(owenli) {}
  }
}
