import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 4: discovery", .keepsCapture)
struct CentralDiscoveryTests {
  @Test("B4.1 commands need a connection: otherwise they are dropped with a line in the log", arguments: [true, false])
  func notConnected(isPending: Bool) async throws {
    let meeting = try await Meeting.talking()
    let (found, service, characteristic) = (meeting.found, try meeting.service("FFF0"), try meeting.characteristic())
    await found.discoverDescriptors(for: characteristic, in: meeting.world)
    let descriptor = try #require(characteristic.descriptors?.first)
    meeting.central.manager.cancelPeripheralConnection(found)
    await meeting.world.settle()
    meeting.device?.moveAway()
    await meeting.world.advance(by: .seconds(1))
    if isPending { meeting.central.manager.connect(found) }
    meeting.central.forget()
    found.discoverServices(nil)
    found.discoverIncludedServices(nil, for: service)
    found.discoverCharacteristics(nil, for: service)
    found.discoverDescriptors(for: characteristic)
    found.readValue(for: characteristic)
    found.readValue(for: descriptor)
    found.writeValue(Data(), for: characteristic, type: .withResponse)
    found.writeValue(Data(), for: characteristic, type: .withoutResponse)
    found.setNotifyValue(true, for: characteristic)
    found.openL2CAPChannel(0x80)
    await meeting.world.advance(by: .seconds(1))
    #expect(meeting.central.told.isEmpty)
    let lines = meeting.complaints
    #expect(lines.count == 10)
    let state = isPending ? "connecting" : "disconnected"
    let pattern = try Regex(
      "API MISUSE: <CBPeripheral: 0x[0-9a-f]+, identifier = \(found.identifier), name = lamp, mtu = [0-9]+, "
        + "state = \(state)> can only accept commands while in the connected state")
    for line in lines { #expect(line.wholeMatch(of: pattern) != nil, "\(line)") }
  }

  @Test("B4.2 lists that were not discovered are nil, discovered ones are a list, empty where there is nothing")
  func nilAndEmpty() async throws {
    let bare = CBMutableService("FFE0")
    let meeting = try await Meeting.withAccessory([bare] + Meeting.plainServices()).connected()
    let found = meeting.found
    #expect(found.services == nil)
    found.discoverServices(nil)
    #expect(found.services == nil)
    await meeting.world.settle()
    let service = try meeting.service("FFF0")
    #expect(service.characteristics == nil && service.includedServices == nil)
    for service in found.services ?? [] {
      found.discoverCharacteristics(nil, for: service)
      found.discoverIncludedServices(nil, for: service)
    }
    await meeting.world.settle()
    #expect(try meeting.service("FFE0").characteristics?.isEmpty == true)
    #expect(service.includedServices?.isEmpty == true)
    let characteristic = try #require(service.characteristics?.first)
    #expect(characteristic.descriptors == nil && characteristic.value == nil)
    await found.discoverDescriptors(for: characteristic, in: meeting.world)
    #expect(characteristic.descriptors?.map(\.uuid) == [.of("2902")])
  }

  @Test("B4.2 a device without services has an empty list of them")
  func nothing() async throws {
    let meeting = try await Meeting.talking(to: AttributeTable())
    #expect(meeting.found.services?.isEmpty == true)
  }

  /// Two services; the second includes the first and has three characteristics.
  private func rich() -> [CBMutableService] {
    let inner = CBMutableService("FFE0", [Meeting.characteristic("FFE1", .read)])
    let outer = CBMutableService("FFF0", ["FFF1", "FFF2", "FFF3"].map { Meeting.characteristic($0, .read) })
    outer.includedServices = [inner]
    return [inner, outer]
  }

  @Test("B4.3 filters restrict, repeated discovery adds, and known objects stay the same")
  func filters() async throws {
    let meeting = try await Meeting.withAccessory(rich()).connected()
    let (world, found) = (meeting.world, meeting.found)
    func services(_ filter: [String]?) async -> [CBService] {
      found.discoverServices(filter?.map { .of($0) })
      await world.settle()
      return found.services ?? []
    }
    #expect(await services(["FFF0", "180F"]).map(\.uuid) == [.of("FFF0")])
    let outer = try meeting.service("FFF0")
    #expect(await services(["FFE0"]).map(\.uuid) == [.of("FFE0"), .of("FFF0")])
    let inner = try meeting.service("FFE0")
    #expect(await services(nil).map { ObjectIdentifier($0) } == [inner, outer].map { ObjectIdentifier($0) })
    #expect(await services(["180F"]).count == 2)

    func characteristics(_ filter: [String]?) async -> [CBCharacteristic] {
      found.discoverCharacteristics(filter?.map { .of($0) }, for: outer)
      await world.settle()
      return outer.characteristics ?? []
    }
    let third = try #require(await characteristics(["FFF3"]).first)
    #expect(await characteristics(["FFF1"]).map(\.uuid) == [.of("FFF1"), .of("FFF3")])
    let all = await characteristics(nil)
    #expect(all.map(\.uuid) == [.of("FFF1"), .of("FFF2"), .of("FFF3")] && all[2] === third)
    #expect(await characteristics([]).count == 3)

    found.discoverIncludedServices([.of("180F")], for: outer)
    await world.settle()
    #expect(outer.includedServices?.isEmpty == true)
    found.discoverIncludedServices([.of("FFE0")], for: outer)
    await world.settle()
    #expect(outer.includedServices?.count == 1 && outer.includedServices?[0] === inner)

    await found.discoverDescriptors(for: third, in: world)
    let before = third.descriptors?.map { ObjectIdentifier($0) }
    await found.discoverDescriptors(for: third, in: world)
    #expect(before != nil && third.descriptors?.map { ObjectIdentifier($0) } == before)
  }

  @Test("B4.4 each call has one answer, also an error, and an error changes nothing")
  func oneAnswer() async throws {
    let table = AttributeTable(properties: 0x02)
    let meeting = try await Meeting.talking(to: table)
    let (found, service, characteristic) = (meeting.found, try meeting.service("FFF0"), try meeting.characteristic())
    for _ in 0..<3 { found.discoverServices(nil) }
    found.discoverCharacteristics(nil, for: service)
    found.discoverCharacteristics([.of("FFF1")], for: service)
    found.discoverIncludedServices(nil, for: service)
    await found.discoverDescriptors(for: characteristic, in: meeting.world)
    #expect(
      meeting.central.told == [
        "services", "services", "services", "characteristics FFF0", "characteristics FFF0", "included FFF0",
        "descriptors FFF1",
      ])
    #expect(found.services?.count == 1 && service.characteristics?.count == 1)
  }

  @Test("B4.4 a discovery that the device refuses is answered once, with its error")
  func refusedDiscovery() async throws {
    let table = AttributeTable(properties: 0x02)
    let meeting = try await Meeting.withTag { tag, _ in table.serve(tag) }.connected()
    table.refusals[0x10] = 0x0E
    await meeting.found.discoverServices(in: meeting.world)
    #expect(meeting.central.told == ["services error 14"] && meeting.found.services == nil)
    table.refusals = [:]
    await meeting.found.discoverServices(in: meeting.world)
    table.refusals[0x08] = 0x11
    let service = try meeting.service("FFF0")
    meeting.found.discoverCharacteristics(nil, for: service)
    await meeting.world.settle()
    #expect(meeting.central.told.suffix(2) == ["services", "characteristics FFF0 error 17"])
    #expect(
      service.characteristics == nil && (meeting.central.errors.last as? CBATTError)?.code == .insufficientResources)
  }

  @Test("B4.5 Generic Access and Generic Attribute are not shown, the services of devices are")
  func hidden() async throws {
    let table = AttributeTable()
    for service in [0x1800, 0x1801, 0x180A, 0x180F, 0xFFF0] as [UInt16] { table.addService(service) }
    let meeting = try await Meeting.talking(to: table)
    #expect(meeting.found.services?.map(\.uuid) == [.of("180A"), .of("180F"), .of("FFF0")])
    await meeting.found.discoverServices([.of("1800"), .of("1801")], in: meeting.world)
    #expect(meeting.found.services?.count == 3)
  }

  @Test(
    "B4.8 the value of a descriptor has the type that belongs to it",
    arguments: [
      (0x2900, [1, 0], "NSNumber"), (0x2901, Array("Lämpchen".utf8), "String"), (0x2902, [2, 0], "NSNumber"),
      (0x2903, [1, 0], "NSNumber"), (0x2904, [4, 0, 0x27, 0x27, 1, 0, 0], "Data"), (0x2905, [3, 0], "Data"),
      (0x2906, [0, 9], "Data"), (0xABCD, [1, 2, 3], "Data"),
    ] as [(UInt16, [UInt8], String)])
  func descriptorValues(_ type: UInt16, _ octets: [UInt8], _ kind: String) async throws {
    let table = AttributeTable(properties: 0x12)
    table.add(type, octets)
    let meeting = try await Meeting.talking(to: table)
    let characteristic = try meeting.characteristic()
    await meeting.found.discoverDescriptors(for: characteristic, in: meeting.world)
    let descriptor = try #require(characteristic.descriptors?.first)
    #expect(characteristic.descriptors?.count == 1 && descriptor.value == nil)
    #expect(descriptor.uuid == CBUUID(data: Data([UInt8(type >> 8), UInt8(type & 0xFF)])))
    await meeting.found.read(descriptor, in: meeting.world)
    #expect(meeting.central.told.last == "descriptor \(descriptor.uuid.uuidString)")
    switch kind {
    case "NSNumber": #expect(descriptor.value as? NSNumber == NSNumber(value: octets[0]))
    case "String": #expect(descriptor.value as? String == "Lämpchen")
    default: #expect(descriptor.value as? Data == Data(octets))
    }
  }
}
