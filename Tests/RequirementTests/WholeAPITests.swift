import BLETestKit
import CoreBluetooth
import Testing

@Suite("A3: the whole of Core Bluetooth", .keepsCapture)
struct WholeAPITests {
  @Test("R3.2 the delegate methods of a whole conversation are called, each in order")
  func conversation() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: Devices.owenli)
    #expect(
      talk.central.events == [
        .state(.poweredOn), .connected("Owenli"), .services(2, nil), .name("other"), .characteristics("FFF0", nil),
        .characteristics("FFE0", nil),
      ])
    #expect(
      talk.peripheral.events == [
        .state(.poweredOn), .added("FFF0", nil), .added("FFE0", nil), .advertising(nil),
      ])
  }

  @Test("R3.3 duplicates are coalesced, or all delivered; solicited services match where requested")
  func duplicates() async throws {
    let world = World()
    let beacon = PeripheralProgram.beacon("beacon", options: world.makeDevice("beacon").options)
    let central = CentralProgram(options: world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: false])
    await world.advance(by: .seconds(10))
    #expect((1...2).contains(central.sightings.count))
    central.manager.stopScan()
    let before = central.sightings.count
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
    await world.advance(by: .seconds(10))
    #expect(central.sightings.count - before > 20)
    #expect(central.sightings.allSatisfy { $0.peripheral === central.sightings[0].peripheral })
    withExtendedLifetime(beacon) {}
  }

  @Test("R3.4 a start delay delays the attempt; alert options are accepted")
  func connectOptions() async throws {
    let world = World()
    let beacon = PeripheralProgram.beacon("beacon", options: world.makeDevice("beacon").options)
    let central = CentralProgram(options: world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { !central.sightings.isEmpty }
    let found = central.sightings[0].peripheral
    central.manager.connect(
      found,
      options: [
        CBConnectPeripheralOptionStartDelayKey: 10, CBConnectPeripheralOptionNotifyOnConnectionKey: true,
        CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
        CBConnectPeripheralOptionNotifyOnNotificationKey: true,
      ])
    await world.advance(by: .seconds(9))
    #expect(found.state == .connecting)
    await world.advance(by: .seconds(3))
    #expect(found.state == .connected)
    withExtendedLifetime(beacon) {}
  }

  @Test("R3.5 every combination of property and permission gives its documented answer")
  func permissions() async throws {
    let world = World()
    let combinations: [(CBCharacteristicProperties, CBAttributePermissions)] = [
      ([.read], [.readable]), ([.write], [.writeable]), ([.read, .write], [.readable, .writeable]),
      ([.read], [.readable, .writeable]), ([.write], [.readable, .writeable]), ([.notify], [.readable]),
      ([.writeWithoutResponse], [.writeable]), ([.indicate], []),
    ]
    let talk = try await Conversation.start(
      in: world,
      with: { device in
        let service = CBMutableService(type: CBUUID(string: "FF00"), primary: true)
        service.characteristics = combinations.enumerated().map { index, combination in
          CBMutableCharacteristic(
            type: CBUUID(string: String(format: "FF%02X", index + 1)), properties: combination.0, value: nil,
            permissions: combination.1)
        }
        return PeripheralProgram(
          options: device.options, services: [service],
          advertisement: [CBAdvertisementDataLocalNameKey: "permissions"])
      })
    for (index, combination) in combinations.enumerated() {
      let characteristic = try talk.characteristic(String(format: "FF%02X", index + 1))
      #expect(characteristic.properties == combination.0)
      talk.central.events = []
      talk.found.readValue(for: characteristic)
      talk.found.writeValue(Data([1]), for: characteristic, type: .withResponse)
      await world.settle()
      let uuid = characteristic.uuid.uuidString
      let readable = combination.0.contains(.read) && combination.1.contains(.readable)
      let writeable = combination.0.contains(.write) && combination.1.contains(.writeable)
      #expect(talk.central.events.contains { if case .value(uuid, _) = $0 { true } else { false } } == readable)
      #expect(talk.central.events.contains(.valueError(uuid, 2)) == !readable)
      #expect(talk.central.events.contains(.written(uuid, 0)) == writeable)
      #expect(talk.central.events.contains(.written(uuid, 3)) == !writeable)
    }
  }

  @Test("R3.6 included services are found, and a change of the services is announced")
  func modified() async throws {
    let world = World()
    let inner = CBMutableService(type: CBUUID(string: "FF10"), primary: false)
    let outer = CBMutableService(type: CBUUID(string: "FF20"), primary: true)
    outer.includedServices = [inner]
    let talk = try await Conversation.start(
      in: world,
      with: {
        PeripheralProgram(
          options: $0.options, services: [inner, outer], advertisement: [CBAdvertisementDataLocalNameKey: "tree"])
      })
    let service = try #require(talk.central.service("FF20", of: talk.found))
    talk.found.discoverIncludedServices(nil, for: service)
    await world.settle()
    #expect(service.includedServices?.map(\.uuid.uuidString) == ["FF10"])
    talk.peripheral.manager.remove(outer)
    await world.advance(by: .seconds(1))
    #expect(talk.central.events.last == .modified(["FF20"]))
  }

  @Test("R3.7 a disconnection invalidates discovered objects, and rediscovery finds them again")
  func invalidation() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    let old = try talk.characteristic("FF22")
    talk.found.setNotifyValue(true, for: old)
    await world.settle()
    #expect(old.isNotifying)
    talk.central.manager.cancelPeripheralConnection(talk.found)
    await world.advance(by: .seconds(1))
    #expect(!old.isNotifying && talk.found.state == .disconnected)
    let count = talk.central.events.count
    talk.found.readValue(for: old)
    await world.settle()
    #expect(talk.central.events.count == count)
    talk.central.manager.connect(talk.found)
    try await world.wait(within: .seconds(5)) { talk.found.state == .connected }
    await talk.discoverEverything()
    talk.found.readValue(for: try talk.characteristic("FF22"))
    await world.settle()
    #expect(talk.central.events.last == .value("FF22", ""))
  }

  @Test("R3.8 writes without response are held back by canSendWriteWithoutResponse, and none is lost")
  func flowControl() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world, with: { Devices.chat(on: $0).program })
    let characteristic = try talk.characteristic("FF22")
    #expect(talk.found.canSendWriteWithoutResponse)
    let writer = Writer(peripheral: talk.found, characteristic: characteristic, count: 500)
    talk.central.onReady = { _ in writer.write() }
    talk.central.queue.sync { writer.write() }
    #expect(writer.next < 500)
    try await world.wait(within: .seconds(60)) { talk.peripheral.events.count { $0.isWrite } == 500 }
    let texts = talk.peripheral.events.compactMap { if case .wrote(let texts) = $0 { texts.first } else { nil } }
    #expect(texts == (0..<500).map { "write \($0)" })
  }

  /// `@unchecked Sendable`: used on the program's queue only.
  private final class Writer: @unchecked Sendable {
    let peripheral: CBPeripheral
    let characteristic: CBCharacteristic
    let count: Int
    var next = 0
    init(peripheral: CBPeripheral, characteristic: CBCharacteristic, count: Int) {
      self.peripheral = peripheral
      self.characteristic = characteristic
      self.count = count
    }
    func write() {
      while next < count, peripheral.canSendWriteWithoutResponse {
        peripheral.writeValue(Data("write \(next)".utf8), for: characteristic, type: .withoutResponse)
        next += 1
      }
    }
  }

  @Test("R3.12 the example peripheral: FFF0, FFE0, `Owenli`, a counter each second while subscribed")
  func owenli() async throws {
    let world = World()
    let talk = try await Conversation.start(in: world) { Devices.owenli(on: $0, counting: world.clock) }
    let counter = try talk.characteristic("FFF1")
    await world.advance(by: .seconds(3))
    #expect(talk.central.values.isEmpty, "there is no subscriber yet")
    talk.found.setNotifyValue(true, for: counter)
    await world.settle()
    await world.advance(by: .milliseconds(5_500))
    #expect(talk.central.values == (1...5).map { Data("send data : \($0)".utf8) })
    talk.found.setNotifyValue(false, for: counter)
    await world.settle()
    await world.advance(by: .seconds(3))
    #expect(talk.central.values.count == 5)
    #expect(try talk.characteristic("FFF2").properties == [.read, .write])
    #expect(try talk.characteristic("FFE1").properties == [.read])
    #expect(talk.central.names.first == "Owenli")
  }
}

extension PeripheralProgram.Event {
  var isWrite: Bool { if case .wrote = self { true } else { false } }
}
