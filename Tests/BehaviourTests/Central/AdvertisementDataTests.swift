import BLECore
import BLETestKit
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 2: advertisement data", .keepsCapture)
struct CentralAdvertisementDataTests {
  static let heart = BLEUUID(UInt16(0x180D))
  static let medium = BLEUUID(medium: 0x1234_5678)
  static let long = BLEUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)

  /// The dictionary of the last event about a device with this advertisement.
  private func dictionary(
    _ data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true, services: [CBUUID]? = nil
  ) async throws -> [String: Any] {
    let world = World()
    world.makeScriptedDevice("tag").advertise(data, scanResponse: scanResponse, isConnectable: isConnectable)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: services)
    await world.advance(by: .seconds(3))
    return try #require(central.sightings.last?.data)
  }

  @Test("B2.12 the local name is a String, complete or shortened, and absent where there is none")
  func localName() async throws {
    let key = CBAdvertisementDataLocalNameKey
    #expect(key == "kCBAdvDataLocalName")
    #expect(try await dictionary(Advertisement.named("Lämpchen 🔦"))[key] as? String == "Lämpchen 🔦")
    let short = Advertisement.of(Advertisement.name("Lamp", isComplete: false))
    #expect(try await dictionary(short)[key] as? String == "Lamp")
    #expect(try await dictionary(short, scanResponse: Advertisement.named("Lamp 2000"))[key] as? String == "Lamp 2000")
    #expect(try await dictionary(Advertisement.of(.init(Self.heart)))[key] == nil)
  }

  @Test("B2.13 manufacturer data are Data that begin with the company, least significant octet first")
  func manufacturerData() async throws {
    let data = try await dictionary(Advertisement.of(Advertisement.manufacturer(0x0059, [1, 2, 3])))
    #expect(data[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x59, 0x00, 1, 2, 3]))
  }

  @Test("B2.14 service data are a dictionary of Data by CBUUID")
  func serviceData() async throws {
    let data = try await dictionary(
      Advertisement.of(
        Advertisement.serviceData(Self.heart, [7]), Advertisement.serviceData(BLEUUID(UInt16(0xFEAA)), [])),
      scanResponse: Advertisement.of(Advertisement.serviceData(Self.long, [8, 9])))
    #expect(
      data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [
        CBUUID(string: "180D"): Data([7]), CBUUID(string: "FEAA"): Data(),
        CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"): Data([8, 9]),
      ])
  }

  @Test("B2.15 lists of services of all widths are one list, whose entries keep the width they were advertised with")
  func serviceUUIDs() async throws {
    let data = try await dictionary(
      Advertisement.of(
        Advertisement.services([Self.heart, BLEUUID(UInt16(0x180F))]), Advertisement.services([Self.medium], .medium)),
      scanResponse: Advertisement.of(Advertisement.services([Self.long], .full)))
    let uuids = try #require(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])
    #expect(uuids.map(\.data.count) == [2, 2, 4, 16])
    #expect(uuids.prefix(2) == [CBUUID(string: "180D"), CBUUID(string: "180F")])
    #expect(uuids[2] == CBUUID(string: "12345678"))
  }

  @Test("B2.16 services of the overflow area are reported under their own key, to scans that look for them")
  func overflow() async throws {
    let key = CBAdvertisementDataOverflowServiceUUIDsKey
    #expect(key == "kCBAdvDataHashedServiceUUIDs")
    let world = World()
    // More than an advertisement holds: those without room go into the overflow area.
    let many = (0..<6).map { CBUUID(string: String(format: "F00D%04X-0000-4000-8000-00805F9B34FB", $0)) }
    let lamp = PeripheralApp("lamp", on: world.makeDevice("lamp"), advertises: many)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.manager.scanForPeripherals(withServices: [many[5]])
    await world.advance(by: .seconds(3))
    let sought = try #require(central.sightings.last?.data)
    #expect(sought[key] as? [CBUUID] == [many[5]])
    #expect(sought[CBAdvertisementDataManufacturerDataKey] == nil)
    central.sightings = []
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(3))
    #expect(!central.sightings.isEmpty && central.sightings.allSatisfy { $0.data[key] == nil })
    withExtendedLifetime(lamp) {}
  }

  @Test("B2.17 solicited services are a list of CBUUID")
  func solicitedServiceUUIDs() async throws {
    let data = try await dictionary(
      Advertisement.of(Advertisement.solicited([Self.heart])),
      scanResponse: Advertisement.of(Advertisement.solicited([Self.long], .full)))
    let uuids = try #require(data[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID])
    #expect(uuids.map(\.data.count) == [2, 16])
    #expect(data[CBAdvertisementDataServiceUUIDsKey] == nil)
  }

  @Test("B2.18 the transmit power is a number", arguments: [-127, -8, 0, 20] as [Int8])
  func txPowerLevel(_ level: Int8) async throws {
    let data = try await dictionary(Advertisement.of(.txPowerLevel(level)))
    #expect(data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber == NSNumber(value: level))
  }

  @Test("B2.19 each event says whether the device takes connections", arguments: [true, false])
  func isConnectable(_ isConnectable: Bool) async throws {
    let world = World()
    world.makeScriptedDevice("tag").advertise(
      Advertisement.named("tag"), scanResponse: Advertisement.of(.init(Self.heart)), isConnectable: isConnectable)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    central.scanWhenPoweredOn(allowingDuplicates: true)
    await world.advance(by: .seconds(3))
    #expect(central.sightings.count > 20)
    #expect(
      central.sightings.allSatisfy {
        $0.data[CBAdvertisementDataIsConnectable] as? NSNumber == isConnectable as NSNumber
      })
  }

  @Test("B2.20 data that are not advertised have no key")
  func absence() async throws {
    let data = try await dictionary([])
    #expect(Array(data.keys) == [CBAdvertisementDataIsConnectable])
    #expect(!data.values.contains { $0 is NSNull })
    let flags = try await dictionary(Advertisement.of(.flags(.leGeneralDiscoverableMode)))
    #expect(Array(flags.keys) == [CBAdvertisementDataIsConnectable])
  }

  @Test("B2.21 values are cast out of Any as on Apple's systems")
  func casts() async throws {
    let data = try await dictionary(
      Advertisement.of(
        Advertisement.name("tag"), .init(Self.heart), .txPowerLevel(4), Advertisement.serviceData(Self.heart, [1])),
      scanResponse: Advertisement.of(Advertisement.manufacturer(0xFFFF, [1]), Advertisement.solicited([Self.heart])))
    #expect(data["kCBAdvDataLocalName"] as? String == "tag")
    #expect(data["kCBAdvDataManufacturerData"] as? Data != nil)
    #expect((data["kCBAdvDataManufacturerData"] as? NSData)?.length == 3)
    #expect((data["kCBAdvDataServiceUUIDs"] as? [CBUUID])?.count == 1)
    #expect((data["kCBAdvDataServiceUUIDs"] as? NSArray)?.count == 1)
    #expect((data["kCBAdvDataSolicitedServiceUUIDs"] as? [CBUUID])?.count == 1)
    #expect((data["kCBAdvDataServiceData"] as? [CBUUID: Data])?.count == 1)
    #expect((data["kCBAdvDataTxPowerLevel"] as? NSNumber)?.intValue == 4)
    #expect(data["kCBAdvDataTxPowerLevel"] as? Int == 4)
    #expect(data["kCBAdvDataIsConnectable"] as? Bool == true)
    #expect(data["kCBAdvDataIsConnectable"] as? NSNumber == 1)
  }
}
