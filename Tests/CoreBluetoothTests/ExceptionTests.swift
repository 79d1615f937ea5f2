import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

/// Where Apple's framework raises an exception the program ends, with the same text.
@Suite("Exceptions")
struct ExceptionTests {
  private static func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("a text or data that is no UUID")
  func uuids() async {
    let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CBUUID(string: "6E400001B5A3F393E0A9E50E24DCCA9E")
    }
    #expect(Self.text(text).contains("String 6E400001B5A3F393E0A9E50E24DCCA9E does not represent a valid UUID"))
    let data = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CBUUID(data: Data([1, 2, 3]))
    }
    #expect(Self.text(data).contains("does not represent a valid UUID"))
  }

  @Test("a fixed value that can be written or notified", arguments: [0x08, 0x12] as [UInt])
  func fixedValue(_ properties: UInt) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [properties] in
      let fixture = await PeripheralFixture()
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "FF22"), properties: CBCharacteristicProperties(rawValue: properties),
        value: Data([1]), permissions: [.readable, .writeable])
      fixture.manager.add(PeripheralFixture.service(characteristic))
    }
    #expect(Self.text(result).contains("Characteristics with cached values must be read-only"))
  }

  @Test("one service added twice")
  func twice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let fixture = await PeripheralFixture()
      let service = PeripheralFixture.service(PeripheralFixture.dynamic())
      fixture.manager.add(service)
      fixture.manager.add(service)
    }
    #expect(Self.text(result).contains("Services cannot be added more than once"))
  }

  @Test("a descriptor that the system makes by itself, or of the wrong type")
  func descriptors() async {
    await #expect(processExitsWith: .failure) {
      _ = CBMutableDescriptor(type: CBUUID(string: CBUUIDClientCharacteristicConfigurationString), value: Data())
    }
    await #expect(processExitsWith: .failure) {
      _ = CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: 7)
    }
  }

  @Test("writing the client configuration by hand")
  func configuration() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let fixture = try await ConnectedFixture()
      fixture.link.descriptors[ScriptedLink.value] = [.init(uuid: BLEUUID(UInt16(0x2902)), handle: .init(0x13))]
      fixture.peripheral.discoverDescriptors(for: fixture.characteristic)
      await fixture.adapter.settle()
      let descriptor = try #require(fixture.characteristic.descriptors?.first)
      fixture.peripheral.writeValue(Data([1, 0]), for: descriptor)
    }
    #expect(
      Self.text(result).contains(
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:"))
  }

  @Test("writing to a characteristic that is not of a peripheral")
  func localCharacteristic() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let fixture = try await ConnectedFixture()
      fixture.peripheral.writeValue(Data(), for: PeripheralFixture.dynamic(), type: .withResponse)
    }
    #expect(Self.text(result).contains("unrecognized selector sent to instance"))
  }
}
