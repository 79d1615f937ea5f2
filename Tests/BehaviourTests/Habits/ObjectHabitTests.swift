import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Habits of apps: objects", .keepsCapture)
struct ObjectHabitTests {
  @Test("I11.habits a peripheral manager returns the object that the app has published")
  func published() async throws {
    let line = CBMutableCharacteristic("FF22", [.read, .write, .notify], [.readable, .writeable])
    let service = CBMutableService("FF11", [line])
    let pair = try await Pair.start([service])
    let characteristic = try pair.characteristic("FF22")
    var requests: [CBATTRequest] = []
    pair.publisher.onRead = { manager, request in
      requests.append(request)
      request.value = Data([1])
      manager.respond(to: request, withResult: .success)
    }
    pair.peripheral.readValue(for: characteristic)
    pair.peripheral.writeValue(Data([2]), for: characteristic, type: .withResponse)
    await pair.peripheral.notify(true, characteristic, in: pair.world)
    let read = try #require(requests.first)
    let write = try #require(pair.publisher.batches.first?.first)
    #expect(read.characteristic === line && write.characteristic == line && read.characteristic.hash == line.hash)
    #expect((read.characteristic as? CBMutableCharacteristic)?.permissions == [.readable, .writeable])
    #expect(read.characteristic.service === service)
    let central = try #require(pair.publisher.subscribers.first)
    #expect(read.central === central && write.central == central && read.central.identifier == central.identifier)
    #expect(line.subscribedCentrals == [central] && line.subscribedCentrals?.contains(central) == true)
    // And discovered objects are none of these.
    #expect(!(characteristic is CBMutableCharacteristic) && characteristic != line)
  }

  @Test("I11.habits objects stay the same when they are discovered again, and work as keys of dictionaries")
  func rediscovered() async throws {
    let pair = try await Pair.start([CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read)])])
    let service = try #require(pair.peripheral.services?.first { $0.uuid == CBUUID(string: "FF11") })
    let characteristic = try pair.characteristic("FF22")
    let kept = [characteristic: "mine"]
    await pair.discoverAll()
    #expect(pair.peripheral.services?.contains { $0 === service } == true)
    let again = try pair.characteristic("FF22")
    #expect(again === characteristic && kept[again] == "mine" && service.characteristics?.firstIndex(of: again) == 0)
    #expect(again.service === service && service.peripheral === pair.peripheral)
  }

  @Test("I11.habits a discovery without results gives an empty list, and without a discovery the list is nil")
  func emptyLists() async throws {
    let (world, publisher) = await World.withPublisher()
    publisher.manager.add(CBMutableService("FF11"))
    publisher.manager.add(CBMutableService("FF12", [CBMutableCharacteristic("FF22", .read)]))
    publisher.manager.startAdvertising(nil)
    let central = CentralApp(world.makeDevice("phone").options)
    let found = try await central.reach(in: world)
    #expect(found.services == nil)
    await found.discoverServices([CBUUID(string: "FFFF")], in: world)
    #expect(found.services?.isEmpty == true && central.errors.isEmpty)
    await found.discoverServices(in: world)
    let services = try #require(found.services)
    #expect(services.allSatisfy { $0.characteristics == nil && $0.includedServices == nil })
    for service in services {
      found.discoverCharacteristics(nil, for: service)
      found.discoverIncludedServices(nil, for: service)
    }
    await world.settle()
    #expect(services.map { $0.characteristics?.count } == [0, 1] && services.allSatisfy { $0.includedServices == [] })
    let characteristic = try #require(services[1].characteristics?.first)
    #expect(characteristic.descriptors == nil && characteristic.value == nil)
    await found.discoverDescriptors(for: characteristic, in: world)
    #expect(characteristic.descriptors == [])
  }

  @Test(
    "I11.32 I11.habits a peripheral has its advertised name until its own name was read, and that from then on")
  func names() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("Kitchen").options)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "lamp"])
    let found = try await Meeting.find("lamp", by: central, in: world)
    #expect(found.name == "lamp")
    try await central.connect(to: found, in: world)
    await found.discoverServices(in: world)
    #expect(found.name == "Kitchen" && central.told.contains("name Kitchen"))
    central.manager.cancelPeripheralConnection(found)
    await world.advance(by: .seconds(1))
    central.forget()
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(10)) { !central.sightings.isEmpty }
    let sighting = central.sightings[0]
    #expect(sighting.peripheral === found && sighting.name == "lamp" && found.name == "Kitchen")
  }

  @Test("I11.habits UUIDs are compared and looked up in any form, and a switch over them matches")
  func uuids() {
    let battery = CBUUID(string: "180F")
    switch CBUUID(string: "0000180f-0000-1000-8000-00805f9b34fb") {
    case CBUUID(string: "180D"): Issue.record("the wrong one")
    case battery: break
    default: Issue.record("none")
    }
    #expect([CBUUID(data: Data([0x18, 0x0F])): 1][battery] == 1)
    #expect([battery].contains(CBUUID(string: "180f")) && battery.uuidString == "180F")
    #expect(battery.uuidString.lowercased() == "180f" && UUID(uuidString: battery.uuidString) == nil)
    let identifier = UUID()
    #expect(CBUUID(nsuuid: identifier).uuidString == identifier.uuidString)
    #expect(battery.isEqual(CBUUID(string: "180F")) && !battery.isEqual(nil) && !battery.isEqual("180F"))
    #expect(NSSet(object: battery).contains(CBUUID(string: "180F")))
    #expect("\(battery) \([battery])" == "Battery [Battery]")
  }
}
