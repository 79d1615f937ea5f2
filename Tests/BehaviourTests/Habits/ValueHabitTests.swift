import BLECore
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

@Suite("Habits of apps: values and dictionaries", .keepsCapture)
struct ValueHabitTests {
  @Test("I11.habits advertised values can be cast to every type that they can be cast to on Apple's systems")
  func advertisement() async throws {
    let heart = BLEUUID(UInt16(0x180D))
    let world = World()
    world.makeScriptedDevice("tag").advertise(
      Advertisement.of(
        Advertisement.name("tag"), .init(heart), .txPowerLevel(-4), Advertisement.manufacturer(0x0059, [1, 2])),
      scanResponse: Advertisement.of(Advertisement.serviceData(heart, [7, 8]), Advertisement.solicited([heart])))
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(3))
    let sighting = try #require(central.sightings.last)
    let data = sighting.data
    let name: Any? = data[CBAdvertisementDataLocalNameKey]
    #expect(name as? String == "tag" && (name as? NSString)?.length == 3)
    let power: Any? = data[CBAdvertisementDataTxPowerLevelKey]
    #expect(power as? Int == -4 && power as? NSNumber == -4 && power as? Double == -4 && (power as? Int8) == -4)
    let connectable: Any? = data[CBAdvertisementDataIsConnectable]
    #expect(connectable as? Bool == true && connectable as? Int == 1 && (connectable as? NSNumber)?.boolValue == true)
    let maker: Any? = data[CBAdvertisementDataManufacturerDataKey]
    #expect((maker as? Data)?[0] == 0x59 && (maker as? NSData)?.length == 4)
    let services: Any? = data[CBAdvertisementDataServiceUUIDsKey]
    #expect(services as? [CBUUID] == [CBUUID(string: "180D")] && (services as? NSArray)?.count == 1)
    #expect((services as? [Any])?.first as? CBUUID == CBUUID(string: "0000180D"))
    let serviceData = data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
    #expect(serviceData?[CBUUID(string: "180d")]?[1] == 8)
    #expect((data[CBAdvertisementDataServiceDataKey] as? [CBUUID: NSData])?.count == 1)
    #expect((data[CBAdvertisementDataServiceDataKey] as? [AnyHashable: Any])?.count == 1)
    let table = data as NSDictionary
    #expect(table[CBAdvertisementDataLocalNameKey] as? String == "tag")
    #expect(table.object(forKey: "kCBAdvDataTxPowerLevel") as? NSNumber == -4)
    let strength: Any = sighting.rssi
    #expect(strength as? Int == sighting.rssi.intValue && Int(truncating: sighting.rssi) < 0)
  }

  @Test("I11.habits data begin at index 0, whatever packet they came in, and slices made by programs are accepted")
  func indices() async throws {
    let line = CBMutableCharacteristic("FF22", [.read, .write, .notify], [.readable, .writeable])
    let pair = try await Pair.start([CBMutableService("FF11", [line])])
    let characteristic = try pair.characteristic("FF22")
    pair.publisher.value = Data([1, 2, 3, 4, 5])
    await pair.peripheral.read(characteristic, in: pair.world)
    #expect(characteristic.value?.startIndex == 0 && characteristic.value?[0] == 1)
    #expect(characteristic.value?.withUnsafeBytes { $0.load(as: UInt32.self) } == 0x0403_0201)
    await pair.peripheral.notify(true, characteristic, in: pair.world)
    let slice = Data([9, 9, 6, 7, 8])[2...]
    #expect(pair.publisher.manager.updateValue(slice, for: line, onSubscribedCentrals: nil))
    await pair.world.settle()
    #expect(characteristic.value == Data([6, 7, 8]) && characteristic.value?[0] == 6)
    await pair.peripheral.write(slice, to: characteristic, in: pair.world)
    let written = try #require(pair.publisher.batches.last?.first?.value)
    #expect(written.startIndex == 0 && written[0] == 6 && written.count == 3)
  }

  @Test("I11.habits a long read is answered from its offset by a slice, by subdata, or by a copy")
  func offsets() async throws {
    let whole = Data((0..<100).map { UInt8($0) })
    let answers: [(Int) -> Data] = [
      { whole[$0...] }, { whole.subdata(in: $0..<whole.count) }, { whole.dropFirst($0) },
      { Data(whole.suffix(from: $0)) },
    ]
    let pair = try await Pair.start([CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read)])], mtu: 23)
    for answer in answers {
      pair.publisher.onRead = { manager, request in
        request.value = answer(request.offset)
        manager.respond(to: request, withResult: .success)
      }
      try await pair.read("FF22")
      #expect(pair.central.values.last == whole)
    }
  }

  @Test("I11.habits each call of didUpdateValueFor finds its own value, however many are pending")
  func burst() async throws {
    let line = CBMutableCharacteristic("FF22", .notify)
    let pair = try await Pair.start([CBMutableService("FF11", [line])])
    try await pair.subscribe("FF22")
    let values = (0..<30).map { Data([UInt8($0)]) }
    for value in values {
      #expect(pair.publisher.manager.updateValue(value, for: line, onSubscribedCentrals: nil))
    }
    await pair.world.settle()
    #expect(pair.central.values == values)
  }

  @Test("I11.habits descriptors' values have Apple's types and support the same casts")
  func descriptors() async throws {
    let line = CBMutableCharacteristic("FF22", [.read, .notify])
    line.descriptors = [
      .userDescription("Brightness"),
      CBMutableDescriptor(
        type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data([4, 0, 0, 0x27, 1, 0, 0])),
    ]
    let pair = try await Pair.start([CBMutableService("FF11", [line])])
    let characteristic = try pair.characteristic("FF22")
    await pair.peripheral.discoverDescriptors(for: characteristic, in: pair.world)
    for descriptor in characteristic.descriptors ?? [] { pair.peripheral.readValue(for: descriptor) }
    await pair.world.settle()
    var values: [String: Any] = [:]
    for descriptor in characteristic.descriptors ?? [] { values[descriptor.uuid.uuidString] = descriptor.value }
    #expect(values["2901"] as? String == "Brightness" && (values["2901"] as? NSString)?.length == 10)
    #expect(values["2902"] as? NSNumber == 0 && values["2902"] as? Int == 0 && values["2902"] as? UInt16 == 0)
    #expect((values["2904"] as? Data)?[0] == 4 && (values["2904"] as? NSData)?.length == 7)
    let format = characteristic.descriptors?.first { $0.uuid == CBUUID(string: "2904") }
    #expect(
      format?.description.hasSuffix("UUID = Characteristic Format, value = {length = 7, bytes = 0x04000027010000}>")
        == true)
  }
}
