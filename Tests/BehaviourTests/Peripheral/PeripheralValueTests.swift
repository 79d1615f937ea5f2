import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Published values, descriptors, permissions", .keepsCapture)
struct PeripheralValueTests {
  @Test("B7.6 a fixed value is answered by the system, whatever its length")
  func fixed() async throws {
    let value = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
    let pair = try await Pair.start(
      [CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read, value: value)])], mtu: 23)
    try await pair.read("FF22")
    #expect(pair.central.values == [value])
    #expect(pair.publisher.told.isEmpty)
  }

  @Test(
    "B7.6 a fixed value that is not read-only is an exception, and only at add",
    arguments: [(0x0A, 0x03), (0x12, 0x01), (0x22, 0x01), (0x06, 0x01), (0x02, 0x03)] as [(UInt, UInt)])
  func fixedAndWriteable(_ properties: UInt, _ permissions: UInt) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [properties, permissions] in
      let world = World()
      let publisher = PeripheralApp(world.makeDevice("device").options)
      await world.settle()
      let characteristic = CBMutableCharacteristic(
        "FF22", CBCharacteristicProperties(rawValue: properties), CBAttributePermissions(rawValue: permissions),
        value: Data([1]))
      let service = CBMutableService("FF11", [characteristic])
      standardError("made\n")
      publisher.manager.add(service)
    }
    #expect(result.text.contains("made\n"))
    #expect(result.text.contains("Characteristics with cached values must be read-only"))
  }

  @Test("B7.7 a characteristic without a fixed value asks the program at each access")
  func dynamic() async throws {
    let pair = try await Pair.start([
      CBMutableService("FF11", [CBMutableCharacteristic("FF22", [.read, .write], [.readable, .writeable])])
    ])
    let characteristic = try pair.characteristic("FF22")
    for number in UInt8(1)...2 {
      pair.publisher.value = Data([number])
      await pair.peripheral.read(characteristic, in: pair.world)
    }
    await pair.peripheral.write(Data([7]), to: characteristic, in: pair.world)
    #expect(pair.central.values == [Data([1]), Data([2])])
    #expect(pair.publisher.told == ["read FF22 at 0", "read FF22 at 0", "wrote 1 to FF22"])
    #expect(pair.publisher.batches[0][0].value == Data([7]))
    #expect(pair.central.told.last == "wrote FF22")
  }

  @Test(
    "B7.8 a user description and a presentation format can be published; the system adds those that follow from properties"
  )
  func descriptors() async throws {
    let format = Data([0x04, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00])
    let characteristic = CBMutableCharacteristic("FF22", [.read, .notify, .extendedProperties])
    characteristic.descriptors = [
      .userDescription("level"),
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: format),
    ]
    #expect(characteristic.descriptors?.allSatisfy { $0.characteristic === characteristic } == true)
    let pair = try await Pair.start([CBMutableService("FF11", [characteristic])])
    let found = try pair.characteristic("FF22")
    await pair.peripheral.discoverDescriptors(for: found, in: pair.world)
    for descriptor in found.descriptors ?? [] { pair.peripheral.readValue(for: descriptor) }
    await pair.world.settle()
    var values: [String: Any] = [:]
    for descriptor in found.descriptors ?? [] { values[descriptor.uuid.uuidString] = descriptor.value }
    #expect(values.keys.sorted() == ["2900", "2901", "2902", "2904"])
    #expect(values["2901"] as? String == "level")
    #expect(values["2904"] as? Data == format)
    #expect(values["2900"] as? NSNumber == 0)
    #expect(values["2902"] as? NSNumber == 0)
  }

  @Test("B7.8 any other descriptor is an exception", arguments: ["2900", "2902", "2903", "2905", "FF00"])
  func otherDescriptors(_ uuid: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [uuid] in
      _ = CBMutableDescriptor(type: CBUUID(string: uuid), value: Data([0, 0]))
    }
    #expect(result.text.contains("descriptors are supported"))
  }

  @Test("B7.8 a descriptor without a value, or with one of another type, is an exception", arguments: [0, 1, 2])
  func descriptorValues(_ number: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
      let description = CBUUID(string: CBUUIDCharacteristicUserDescriptionString)
      let format = CBUUID(string: CBUUIDCharacteristicFormatString)
      switch number {
      case 0: _ = CBMutableDescriptor(type: description, value: nil)
      case 1: _ = CBMutableDescriptor(type: description, value: Data([1]))
      default: _ = CBMutableDescriptor(type: format, value: "text")
      }
    }
    #expect(result.text.contains("The value of the descriptor \(number == 2 ? "2904" : "2901") is not of its type"))
  }

  @Test("B7.15 accesses that properties or permissions forbid are refused without asking the program")
  func forbidden() async throws {
    let pair = try await Pair.start([
      CBMutableService(
        "FF11",
        [
          CBMutableCharacteristic("FF22", .write, [.readable, .writeable]),
          CBMutableCharacteristic("FF23", .read, [.readable, .writeable]),
        ])
    ])
    try await pair.read("FF22")
    try await pair.write(Data([1]), to: "FF23")
    #expect(pair.central.told == ["value FF22 error 2", "wrote FF23 error 3"])
    #expect(pair.central.errors.allSatisfy { $0 is CBATTError })
    #expect(pair.publisher.told.isEmpty)
  }

  @Test("values longer than an attribute, and a characteristic that is already published, are refused at didAdd")
  func impossible() async throws {
    let (world, publisher) = await World.withPublisher()
    let long = CBMutableCharacteristic("FF22", .read, value: Data(count: 513))
    let described = CBMutableCharacteristic("FF22", .read)
    described.descriptors = [
      .userDescription(String(repeating: "x", count: 513))
    ]
    let shared = CBMutableCharacteristic("FF22", .read)
    publisher.manager.add(CBMutableService("FF11", [long]))
    publisher.manager.add(CBMutableService("FF12", [described]))
    publisher.manager.add(CBMutableService("FF13", [shared, shared]))
    publisher.manager.add(CBMutableService("FF14", [shared]))
    publisher.manager.add(CBMutableService("FF15", [shared]))
    await world.settle()
    #expect(
      publisher.told.dropFirst().sorted() == [
        "added FF11 error 1", "added FF12 error 1", "added FF13 error 1", "added FF14", "added FF15 error 1",
      ])
  }
}
