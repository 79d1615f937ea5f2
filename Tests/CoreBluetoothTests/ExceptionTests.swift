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

  @Test("an invalid UUID text or data")
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

  @Test(
    "each text that is not 4, 8 or 36 hexadecimal digits, in the one form, and each data of another count",
    arguments: [
      "", "1", "180", "180G", "180F ", "+80F", "１８０Ｆ", "0000180F0", "0000180F-0000-1000-8000-00805F9B34F",
      "0000180F-0000-1000-8000_00805F9B34FB", "{0000180F-0000-1000-8000-00805F9B34FB}",
    ])
  func texts(_ text: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [text = text as String] in
      _ = CBUUID(string: text)
    }
    #expect(Self.text(result).contains("String \(text) does not represent a valid UUID"))
  }

  @Test("data whose count is no UUID's", arguments: [0, 1, 5, 15, 17, 512])
  func datas(_ count: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [count = count as Int] in
      _ = CBUUID(data: Data(count: count))
    }
    #expect(Self.text(result).contains("does not represent a valid UUID"))
  }

  @Test("nothing else is refused: every form and every case of digits makes a UUID")
  func acceptedForms() {
    for text in [
      "180F", "180f", "0000180F", "0000180f", "0000180F-0000-1000-8000-00805F9B34FB",
      "0000180f-0000-1000-8000-00805f9b34fb",
    ] {
      #expect(CBUUID(string: text) == CBUUID(string: "180F"))
    }
    for count in [2, 4, 16] { #expect(CBUUID(data: Data(count: count)).data == Data(count: count)) }
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

  @Test("a descriptor that the system makes itself, or of the wrong type")
  func descriptors() async {
    let systems = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CBMutableDescriptor(type: CBUUID(string: CBUUIDClientCharacteristicConfigurationString), value: Data())
    }
    #expect(Self.text(systems).contains("Only Characteristic User Description and Characteristic Format descriptors"))
    let number = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: 7)
    }
    #expect(Self.text(number).contains("The value of the descriptor 2901 is not of its type"))
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
