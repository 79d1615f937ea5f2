import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@Suite("Discovery of services")
struct DiscoveryTests {
  private func fixture() async throws -> (CentralFixture, ScriptedLink, CBPeripheral) {
    let central = await CentralFixture()
    let link = ScriptedLink(.first, central.adapter)
    link.layOut()
    return (central, link, try await central.connected(link))
  }

  @Test("nothing is known before, and found objects are there when the delegate is called")
  func services() async throws {
    let (central, _, peripheral) = try await fixture()
    #expect(peripheral.services == nil)
    peripheral.discoverServices(nil)
    #expect(peripheral.services == nil)
    await central.adapter.settle()
    let services = try #require(peripheral.services)
    #expect(services.map(\.uuid.uuidString) == ["FFF0", "180F"])
    #expect(services.allSatisfy { $0.isPrimary && $0.peripheral === peripheral && $0.characteristics == nil })
    peripheral.discoverCharacteristics(nil, for: services[0])
    await central.adapter.settle()
    let characteristic = try #require(services[0].characteristics?.first)
    #expect(characteristic.uuid == CBUUID(string: "FFF1"))
    #expect(characteristic.service === services[0])
    #expect(characteristic.properties == [.read, .write, .writeWithoutResponse, .notify, .indicate])
    #expect(characteristic.value == nil)
    #expect(characteristic.descriptors == nil)
    #expect(central.recorder.told == ["services", "characteristics"])
  }

  @Test("with filters adds to the known objects, and known objects stay the same")
  func filters() async throws {
    let (central, _, peripheral) = try await fixture()
    peripheral.discoverServices([CBUUID(string: "180F")])
    await central.adapter.settle()
    let battery = try #require(peripheral.services?.first)
    #expect(peripheral.services?.count == 1)
    peripheral.discoverServices([CBUUID(string: "FFF0")])
    await central.adapter.settle()
    #expect(peripheral.services?.map(\.uuid.uuidString) == ["FFF0", "180F"])
    peripheral.discoverServices(nil)
    await central.adapter.settle()
    #expect(peripheral.services?.last === battery)
    peripheral.discoverCharacteristics([CBUUID(string: "2A19")], for: battery)
    await central.adapter.settle()
    let level = try #require(battery.characteristics?.first)
    peripheral.discoverCharacteristics([CBUUID(string: "2A00")], for: battery)
    await central.adapter.settle()
    #expect(battery.characteristics?.count == 1)
    #expect(battery.characteristics?.first === level)
  }

  @Test("that finds nothing leaves an empty list, not nil")
  func nothing() async throws {
    let (central, link, peripheral) = try await fixture()
    link.services = []
    peripheral.discoverServices(nil)
    await central.adapter.settle()
    #expect(peripheral.services?.isEmpty == true)
  }

  @Test("that fails is reported once with the error, and changes nothing")
  func failure() async throws {
    let (central, link, peripheral) = try await fixture()
    peripheral.discoverServices(nil)
    await central.adapter.settle()
    let service = try #require(peripheral.services?.first)
    link.discoveryError = .attribute(code: 0x0E)
    peripheral.discoverServices(nil)
    peripheral.discoverCharacteristics(nil, for: service)
    peripheral.discoverIncludedServices(nil, for: service)
    await central.adapter.settle()
    #expect(central.recorder.told == ["services", "services", "characteristics", "included"])
    #expect(central.recorder.codes == [0x0E, 0x0E, 0x0E])
    #expect(peripheral.services?.count == 2)
    #expect(service.characteristics == nil)
  }

  @Test("included services are the same objects as the services")
  func included() async throws {
    let (central, link, peripheral) = try await fixture()
    let secondary = RemoteService(
      uuid: BLEUUID(UInt16(0xAAAA)), handles: AttributeHandle(0x40)...AttributeHandle(0x41), isPrimary: false)
    link.included[AttributeHandle(0x0010)] = [link.services[1], secondary]
    peripheral.discoverServices(nil)
    await central.adapter.settle()
    let services = try #require(peripheral.services)
    #expect(services[0].includedServices == nil)
    peripheral.discoverIncludedServices(nil, for: services[0])
    await central.adapter.settle()
    let included = try #require(services[0].includedServices)
    #expect(included.count == 2)
    #expect(included[0] === services[1])
    #expect(!included[1].isPrimary)
    #expect(peripheral.services?.count == 2)
  }

  @Test("descriptors have values of Apple's types")
  func descriptors() async throws {
    let fixture = try await ConnectedFixture()
    let values: [(UInt16, [UInt8], String)] = [
      (0x2900, [1, 0], "1"), (0x2901, Array("name".utf8), "name"), (0x2902, [2, 0], "2"), (0x2903, [1], "1"),
      (0x2904, [4, 0, 0x27, 0x27, 1, 0, 0], "7 bytes"), (0x2906, [1, 2], "2 bytes"),
    ]
    fixture.link.descriptors[ScriptedLink.value] = values.enumerated().map { index, value in
      RemoteDescriptor(uuid: BLEUUID(value.0), handle: AttributeHandle(UInt16(0x13 + index)))
    }
    for (index, value) in values.enumerated() {
      fixture.link.values[AttributeHandle(UInt16(0x13 + index))] = value.1
    }
    fixture.peripheral.discoverDescriptors(for: fixture.characteristic)
    await fixture.adapter.settle()
    let descriptors = try #require(fixture.characteristic.descriptors)
    #expect(descriptors.allSatisfy { $0.characteristic === fixture.characteristic && $0.value == nil })
    for descriptor in descriptors { fixture.peripheral.readValue(for: descriptor) }
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["descriptors"] + values.map { "descriptor \($0.2)" })
    #expect(descriptors[0].value as? NSNumber == 1)
    #expect(descriptors[1].value as? String == "name")
    #expect(descriptors[2].value as? NSNumber == 2)
    #expect(descriptors[3].value is NSNumber)
    #expect(descriptors[4].value as? Data == Data([4, 0, 0x27, 0x27, 1, 0, 0]))
    #expect(descriptors[5].value as? Data == Data([1, 2]))
    fixture.recorder.clear()
    fixture.peripheral.writeValue(Data("new".utf8), for: descriptors[1])
    fixture.peripheral.discoverDescriptors(for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["wroteDescriptor", "descriptors"])
    #expect(fixture.link.values[AttributeHandle(0x14)] == Array("new".utf8))
    #expect(fixture.characteristic.descriptors?[1] === descriptors[1])
  }

  @Test("needs a connection: otherwise a line in Apple's words and no answer")
  func notConnected() async throws {
    let fixture = try await ConnectedFixture()
    let service = try #require(fixture.peripheral.services?.first)
    fixture.central.manager.cancelPeripheralConnection(fixture.peripheral)
    await fixture.adapter.settle()
    fixture.recorder.clear()
    fixture.peripheral.discoverServices(nil)
    fixture.peripheral.discoverCharacteristics(nil, for: service)
    fixture.peripheral.readValue(for: fixture.characteristic)
    fixture.peripheral.setNotifyValue(true, for: fixture.characteristic)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told.isEmpty)
    let identifier = PeerIdentifier.first.uuid.uuidString
    let line =
      "identifier = \(identifier), name = Thing, mtu = 185, state = disconnected> can only accept commands while in the connected state"
    #expect(
      fixture.adapter.lines.texts.filter { $0.hasPrefix("API MISUSE: <CBPeripheral: 0x") && $0.hasSuffix(line) }.count
        == 4)
  }

  @Test("changed services are reported, invalid, and found again as new objects")
  func modified() async throws {
    let fixture = try await ConnectedFixture()
    let services = try #require(fixture.peripheral.services)
    fixture.peripheral.setNotifyValue(true, for: fixture.characteristic)
    await fixture.adapter.settle()
    fixture.recorder.clear()
    await fixture.link.tell {
      $0.link(fixture.link, didInvalidateServicesIn: AttributeHandle(0x0001)...AttributeHandle(0x0018))
    }
    #expect(fixture.recorder.told == ["modified [\"FFF0\"]"])
    #expect(fixture.recorder.invalidated.first === services[0])
    #expect(fixture.peripheral.services?.map(\.uuid.uuidString) == ["180F"])
    #expect(!fixture.characteristic.isNotifying)
    await fixture.link.notify([1], of: ScriptedLink.value)
    fixture.peripheral.writeValue(Data([1]), for: fixture.characteristic, type: .withResponse)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told.dropFirst() == ["wrote"])
    #expect(fixture.recorder.codes == [CBATTError.invalidHandle.rawValue])
    fixture.peripheral.discoverServices(nil)
    await fixture.adapter.settle()
    #expect(fixture.peripheral.services?.first !== services[0])
    #expect(fixture.peripheral.services?.last === services[1])
  }

  @Test("a new name is reported once")
  func name() async throws {
    let fixture = try await ConnectedFixture()
    for name in ["Owenli", "Owenli", "Other"] {
      await fixture.link.tell { $0.link(fixture.link, didUpdateName: name) }
    }
    #expect(fixture.recorder.told == ["name Owenli", "name Other"])
  }

  @Test("a channel that the peer has not published is answered with not supported")
  func channel() async throws {
    let fixture = try await ConnectedFixture()
    fixture.peripheral.openL2CAPChannel(0x80)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["channel"])
    #expect((fixture.recorder.errors.first as? CBError)?.code == .operationNotSupported)
  }
}
