import BLETestKit
import CoreBluetooth
import Testing

/// Registers for connection events and records them.
private final class Observer: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  let queue = DispatchQueue(label: "observer")
  private(set) var manager: CBCentralManager!
  var events: [(event: CBConnectionEvent, peripheral: CBPeripheral)] = []
  var kinds: [CBConnectionEvent] { events.map(\.event) }

  init(options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    events.append((event, peripheral))
  }
}

@Suite("Connection events", .keepsCapture)
struct ConnectionEventTests {
  @Test("a manager is notified of connections of other managers to peers with its services, and of their ends")
  func services() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let talk = CentralProgram(options: phone.options)
    let observer = Observer(options: phone.options)
    let uninterested = Observer(options: phone.options)
    let owenli = Devices.owenli(on: world.makeDevice("owenli"))
    await world.settle()
    observer.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "FFE0")]])
    uninterested.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
    talk.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !talk.sightings.isEmpty }
    let found = talk.sightings[0].peripheral
    talk.manager.connect(found)
    try await world.wait(within: .seconds(5)) { found.state == .connected }
    found.discoverServices(nil)
    await world.settle()
    #expect(observer.kinds == [.peerConnected])
    let peer = try #require(observer.events.first?.peripheral)
    #expect(peer !== found && peer.identifier == found.identifier && peer.state == .disconnected)
    // It can be used here too, without a new link.
    observer.manager.connect(peer)
    await world.settle()
    #expect(peer.state == .connected && observer.kinds == [.peerConnected])
    observer.manager.cancelPeripheralConnection(peer)
    talk.manager.cancelPeripheralConnection(found)
    await world.settle()
    #expect(observer.kinds == [.peerConnected, .peerDisconnected])
    #expect(observer.events.last?.peripheral === peer)
    #expect(uninterested.events.isEmpty)
    withExtendedLifetime(owenli) {}
  }

  @Test("a service that is not advertised counts once any program has discovered it")
  func discovered() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let battery = Devices.battery(on: world.makeDevice("battery"), percent: 7)
    let talk = CentralProgram(options: phone.options)
    let observer = Observer(options: phone.options)
    await world.settle()
    observer.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180F")]])
    talk.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !talk.sightings.isEmpty }
    let found = talk.sightings[0].peripheral
    talk.manager.connect(found)
    try await world.wait(within: .seconds(5)) { found.state == .connected }
    #expect(observer.kinds.isEmpty)
    found.discoverServices(nil)
    await world.settle()
    found.discoverServices(nil)
    await world.settle()
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
    let talk = CentralProgram(options: phone.options)
    let observer = Observer(options: phone.options)
    await world.settle()
    talk.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !talk.sightings.isEmpty }
    let found = talk.sightings[0].peripheral
    observer.manager.registerForConnectionEvents(options: [
      .peripheralUUIDs: [found.identifier], .serviceUUIDs: [CBUUID(string: "180D")],
    ])
    for isRegistered in [true, false] {
      if !isRegistered { observer.manager.registerForConnectionEvents(options: nil) }
      observer.events = []
      talk.manager.connect(found)
      try await world.wait(within: .seconds(5)) { found.state == .connected }
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
    let observer = Observer(options: phone.options)
    let talk = CentralProgram(options: phone.options)
    let owenli = Devices.owenli(on: world.makeDevice("owenli"))
    await world.settle()
    observer.manager.registerForConnectionEvents(options: [
      .serviceUUIDs: ["1811", "1812", "1813", "1814", "FFF0"].map { CBUUID(string: $0) }
    ])
    talk.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !talk.sightings.isEmpty }
    talk.manager.connect(talk.sightings[0].peripheral)
    await world.settle()
    #expect(observer.events.isEmpty)
    #expect(world.logLines.contains { $0.text.contains("API MISUSE: only 4 services can be matched") })
    withExtendedLifetime(owenli) {}
  }
}
