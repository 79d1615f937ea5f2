import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("R3.9: state preservation and restoration", .keepsCapture)
struct RestorationTests {
  private static func options(_ device: Device, central identifier: String = "main") -> [String: Any] {
    device.options.merging([CBCentralManagerOptionRestoreIdentifierKey: identifier]) { $1 }
  }

  private static func options(_ device: Device, peripheral identifier: String) -> [String: Any] {
    device.options.merging([CBPeripheralManagerOptionRestoreIdentifierKey: identifier]) { $1 }
  }

  /// A central with a restore identifier, connected to Owenli, with everything discovered.
  private static func talk(in world: World) async throws -> (phone: Device, CentralApp, PeripheralApp) {
    let phone = world.makeDevice("phone")
    let owenli = Devices.owenli(on: world.makeDevice("owenli"))
    let central = CentralApp(options(phone))
    _ = try await central.reach(in: world)
    return (phone, central, owenli)
  }

  @Test(
    "R3.9 a central that is killed while connected gets its peripheral back, first of all, and is connected again")
  func midConnection() async throws {
    let world = World()
    let (phone, dead, owenli) = try await Self.talk(in: world)
    let identifier = dead.sightings[0].peripheral.identifier
    dead.sightings[0].peripheral.discoverServices(nil)
    let deadEvents = dead.events
    phone.terminateProcess()

    let central = CentralApp(Self.options(phone))
    await world.settle()
    #expect(central.events.prefix(2) == [.restored, .state(.poweredOn)])
    let restored = try #require(
      central.restored[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])
    #expect(restored.map(\.identifier) == [identifier])
    #expect(restored[0].name == "Owenli" && restored[0].state == .connecting)
    #expect(central.restored[CBCentralManagerRestoredStateScanServicesKey] == nil)
    try await world.wait(within: .seconds(20)) { restored[0].state == .connected }
    #expect(central.events.last == .connected("Owenli"))
    restored[0].discoverServices(nil)
    await world.settle()
    #expect(central.events.contains(.services(2, nil)))
    // A killed process gets no callbacks.
    #expect(dead.events == deadEvents)
    withExtendedLifetime((dead, owenli)) {}
  }

  @Test("R3.9 a connection that was pending is pending again, and succeeds when the peripheral appears")
  func pending() async throws {
    let world = World()
    let (phone, dead, owenli) = try await Self.talk(in: world)
    let peripheral = dead.sightings[0].peripheral
    dead.manager.cancelPeripheralConnection(peripheral)
    await world.settle()
    owenli.manager.stopAdvertising()
    await world.settle()
    dead.manager.connect(peripheral)
    await world.advance(by: .seconds(10))
    phone.terminateProcess()

    let central = CentralApp(Self.options(phone))
    await world.advance(by: .seconds(60))
    #expect(central.events == [.restored, .state(.poweredOn)])
    owenli.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Owenli"])
    try await world.wait(within: .seconds(5)) { central.events.last == .connected("Owenli") }
    withExtendedLifetime(dead) {}
  }

  @Test("R3.9 a scan continues with its services and options")
  func scan() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let dead = CentralApp(Self.options(phone))
    await world.settle()
    dead.manager.scanForPeripherals(
      withServices: [CBUUID(string: "FFF0")],
      options: [
        CBCentralManagerScanOptionAllowDuplicatesKey: true,
        CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180F")],
      ])
    await world.settle()
    phone.terminateProcess()

    let central = CentralApp(Self.options(phone))
    let owenli = Devices.owenli(on: world.makeDevice("owenli"))
    let other = PeripheralApp("other", on: world.makeDevice("other"))
    await world.advance(by: .seconds(3))
    #expect(central.events == [.restored, .state(.poweredOn)])
    #expect(central.manager.isScanning)
    let services = central.restored[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
    #expect(services == [CBUUID(string: "FFF0")])
    let options = try #require(central.restored[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any])
    #expect(options[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
    let solicited = options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
    #expect(solicited == [CBUUID(string: "180F")])
    #expect(central.names.count > 5 && Set(central.names) == ["Owenli"])
    central.manager.stopScan()
    #expect(!central.manager.isScanning)
    withExtendedLifetime((dead, owenli, other)) {}
  }

  @Test("R3.9 a peripheral that is killed has its services, at their handles, and its advertising back")
  func peripheral() async throws {
    let world = World()
    let device = world.makeDevice("device")
    let line = CBMutableCharacteristic("FF22", [.read, .write, .notify], [.readable, .writeable])
    line.descriptors = [.userDescription("line")]
    let fixed = CBMutableCharacteristic("FF33", .read, value: Data([1, 2, 3]))
    let gone = CBMutableService("FF00")
    let first = CBMutableService("FF01", [fixed])
    let second = CBMutableService("FF11", [line])
    second.includedServices = [first]
    let dead = PeripheralApp(
      Self.options(device, peripheral: "shop"), services: [gone, first, second],
      advertisement: [
        CBAdvertisementDataLocalNameKey: "shop", CBAdvertisementDataServiceUUIDsKey: [second.uuid],
      ])
    let phone = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    // The remaining services stay where they are.
    dead.manager.remove(gone)
    let found = try await phone.find(services: [second.uuid], in: world)
    func walk() async throws -> CBCharacteristic {
      try await phone.connect(to: found, in: world)
      await found.discoverAll(in: world)
      return try found.characteristic("FF22")
    }
    let before = try await walk()
    await found.read(before, in: world)
    let handle = try #require(world.handlesRead.last)
    await found.notify(true, before, in: world)
    #expect(dead.events.last == .subscribed("FF22"))
    device.terminateProcess()

    let program = PeripheralApp(Self.options(device, peripheral: "shop"))
    await world.settle()
    #expect(program.events == [.restored, .state(.poweredOn), .unsubscribed("FF22")])
    let advertisement = try #require(
      program.restored[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any])
    #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "shop")
    #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [second.uuid])
    let services = try #require(
      program.restored[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService])
    #expect(services.map(\.uuid) == [first.uuid, second.uuid])
    #expect(services[0].characteristics?.first?.value == Data([1, 2, 3]))
    #expect(services[1].includedServices?.first === services[0])
    let back = try #require(services[1].characteristics?.first as? CBMutableCharacteristic)
    #expect(back.properties == line.properties && back.permissions == line.permissions)
    #expect(back.descriptors?.first?.value as? String == "line")
    #expect(back.service === services[1] && back.subscribedCentrals?.isEmpty == true)
    #expect(program.manager.isAdvertising)

    // The other side finds the known services at the known handles.
    program.values = [back.uuid: Data("again".utf8)]
    try await world.wait(within: .seconds(30)) { found.state == .disconnected }
    phone.sightings = []
    phone.manager.scanForPeripherals(withServices: [second.uuid])
    try await world.wait(within: .seconds(5)) { phone.names == ["shop"] }
    let after = try await walk()
    phone.values = []
    found.readValue(for: after)
    await found.notify(true, after, in: world)
    #expect(phone.values == [Data("again".utf8)])
    #expect(world.handlesRead.last == handle)
    #expect(program.events.last == .subscribed("FF22"))
    #expect(program.manager.updateValue(Data("news".utf8), for: back, onSubscribedCentrals: nil))
    await world.settle()
    #expect(phone.values.last == Data("news".utf8))
    // Restored services can be removed like added ones.
    program.manager.remove(services[1])
    await world.settle()
    #expect(phone.events.last == .modified(["FF11"]))
    withExtendedLifetime(dead) {}
  }

  @Test("R3.9 managers that were shut down, or had nothing to preserve, leave nothing")
  func shutDown() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    var dead: CentralApp? = CentralApp(Self.options(phone))
    let idle = CentralApp(Self.options(phone, central: "idle"))
    await world.settle()
    dead?.manager.scanForPeripherals(withServices: nil)
    idle.manager.scanForPeripherals(withServices: nil)
    await world.settle()
    idle.manager.stopScan()
    dead = nil
    await world.settle()
    phone.terminateProcess()
    let central = CentralApp(Self.options(phone))
    let second = CentralApp(Self.options(phone, central: "idle"))
    await world.settle()
    #expect(central.events == [.state(.poweredOn)] && second.events == [.state(.poweredOn)])
    withExtendedLifetime((dead, idle)) {}
  }

  @Test("R3.9 what the program does not retain is released, with Apple's line in the log")
  func notKept() async throws {
    let world = World()
    let (phone, dead, owenli) = try await Self.talk(in: world)
    phone.terminateProcess()
    let central = CentralApp(Self.options(phone))
    try await world.wait(within: .seconds(5)) { central.events.last == .state(.poweredOn) }
    central.kept = []
    central.restored = [:]
    await world.advance(by: .seconds(30))
    #expect(central.events == [.restored, .state(.poweredOn)])
    phone.terminateProcess()
    let third = CentralApp(Self.options(phone))
    await world.settle()
    #expect(third.events == [.state(.poweredOn)])
    withExtendedLifetime((dead, central, owenli)) {}
  }

  @Test("R3.9 a second manager with the same identifier restores nothing, and a process killed twice restores twice")
  func twice() async throws {
    let world = World()
    let (phone, dead, owenli) = try await Self.talk(in: world)
    phone.terminateProcess()
    // Killed before it had done anything.
    let early = CentralApp(Self.options(phone))
    phone.terminateProcess()
    let first = CentralApp(Self.options(phone))
    let second = CentralApp(Self.options(phone))
    try await world.wait(within: .seconds(20)) { first.events.last == .connected("Owenli") }
    #expect(first.events == [.restored, .state(.poweredOn), .connected("Owenli")])
    #expect(second.events == [.state(.poweredOn)])
    withExtendedLifetime((dead, early, owenli)) {}
  }

  @Test("R3.9 with Bluetooth off at the restart there is nothing to restore, and later connections work")
  func poweredOff() async throws {
    let world = World()
    let (phone, dead, owenli) = try await Self.talk(in: world)
    phone.terminateProcess()
    phone.powerOff()
    let central = CentralApp(Self.options(phone))
    await world.settle()
    #expect(central.events == [.restored, .state(.poweredOff)])
    let restored = try #require(central.kept.first)
    #expect(restored.state == .disconnected)
    phone.powerOn()
    await world.advance(by: .seconds(30))
    #expect(central.events.last == .state(.poweredOn))
    central.manager.connect(restored)
    try await world.wait(within: .seconds(20)) { central.events.last == .connected("Owenli") }
    withExtendedLifetime((dead, owenli)) {}
  }
}

extension World {
  /// The handles of all ATT Read Requests so far, as they passed between hosts and controllers: an L2CAP frame of three
  /// octets on channel 4 that begins with 0A (Core, Vol 3 Part F 3.4.4.3).
  fileprivate var handlesRead: [UInt16] {
    let octets = capture
    return octets.indices.dropLast(6).compactMap { index in
      guard Array(octets[index..<index + 5]) == [0x03, 0x00, 0x04, 0x00, 0x0A] else { return nil }
      return UInt16(octets[index + 5]) | UInt16(octets[index + 6]) << 8
    }
  }
}
