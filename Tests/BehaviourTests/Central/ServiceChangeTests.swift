import BLECore
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 4: changes of services and names", .keepsCapture)
struct CentralServiceChangeTests {
  @Test("B4.6 a change of the services is reported with the invalid ones; they must be discovered again")
  func changedServices() async throws {
    let stays = CBMutableService("FFE0", [Meeting.characteristic("FFE1")])
    let goes = CBMutableService("FFF0", [Meeting.characteristic("FFF1")])
    let meeting = try await Meeting.talking([stays, goes])
    let (world, central, found) = (meeting.world, meeting.central, meeting.found)
    let (service, characteristic) = (try meeting.service("FFF0"), try meeting.characteristic())
    await found.notify(true, characteristic, in: world)
    central.forget()
    meeting.accessory?.manager.remove(goes)
    await world.advance(by: .seconds(1))
    #expect(central.told == ["modified FFF0"])
    #expect(central.invalidated.count == 1 && central.invalidated[0] === service)
    #expect(found.services?.map(\.uuid) == [.of("FFE0")] && !characteristic.isNotifying)
    let remaining = try meeting.characteristic("FFE1")
    found.readValue(for: characteristic)
    found.discoverCharacteristics(nil, for: service)
    await found.read(remaining, in: world)
    let code = CBATTError.invalidHandle.rawValue
    #expect(
      central.told.dropFirst() == [
        "value FFF1 error \(code)", "characteristics FFF0 error \(code)", "value FFE1 ",
      ])
    let new = CBMutableService("FFD0", [Meeting.characteristic("FFD1")])
    meeting.accessory?.manager.add(new)
    await world.advance(by: .seconds(1))
    central.forget()
    await found.discoverServices(in: world)
    #expect(Set(found.services?.map(\.uuid) ?? []) == [.of("FFE0"), .of("FFD0")])
    let again = try await meeting.walked()
    try await again.read("FFD1")
    #expect(central.told == ["value FFD1 "])
  }

  @Test("B4.6 repeated discovery is answered from the known objects, without asking the device")
  func cache() async throws {
    let table = AttributeTable(properties: 0x02)
    let meeting = try await Meeting.talking(to: table)
    table.forgetRequests()
    meeting.found.discoverServices(nil)
    meeting.found.discoverCharacteristics(nil, for: try meeting.service("FFF0"))
    await meeting.world.settle()
    #expect(meeting.central.told == ["services", "characteristics FFF0"])
    #expect(table.requests.isEmpty)
  }

  /// Implements only the callback for values.
  private final class Careless: NSObject, CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
  }

  @Test("B4.6 a delegate without the callback for changed services gets a warning in the log")
  func unimplemented() async throws {
    let service = CBMutableService("FFF0")
    let meeting = try await Meeting.talking([service])
    let careless = Careless()
    meeting.found.delegate = careless
    meeting.accessory?.manager.remove(service)
    await meeting.world.advance(by: .seconds(1))
    let warning = try #require(meeting.world.logLines.first { $0.level == .warning }).text
    #expect(warning.hasPrefix("WARNING: The delegate for <CBPeripheral: 0x"))
    #expect(warning.hasSuffix("state = connected> does not implement -[peripheral:didModifyServices:]"))
  }

  @Test("B4.7 a name in the device that differs from the advertised one is reported, and kept")
  func name() async throws {
    let table = AttributeTable()
    table.addService(0x1800)
    let name = table.addCharacteristic(0x2A00, properties: 0x02, value: Array("tag in the kitchen".utf8))
    table.addService(0xFFF0)
    let meeting = try await Meeting.withTag { tag, _ in table.serve(tag) }.connected()
    let (world, central, found) = (meeting.world, meeting.central, meeting.found)
    #expect(found.name == "tag")
    await found.discoverServices(in: world)
    #expect(central.told.contains("name tag in the kitchen") && found.name == "tag in the kitchen")
    // It is advertised under the old name, and known by its GAP name.
    central.manager.cancelPeripheralConnection(found)
    await world.advance(by: .seconds(1))
    let again = try await Meeting.find("tag", by: central, in: world)
    #expect(again === found && found.name == "tag in the kitchen")
    table.set(Array("tag in the hall".utf8), at: name)
    _ = try await meeting.connected()
    await found.discoverServices(in: world)
    #expect(central.told.count { $0.hasPrefix("name") } == 1 && found.name == "tag in the hall")
  }
}
