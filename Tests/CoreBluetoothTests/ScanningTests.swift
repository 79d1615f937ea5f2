import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@Suite("Scanning")
struct ScanningTests {
  @Test("starts and ends with the calls, and each call replaces the filter")
  func parameters() async {
    let central = await CentralFixture()
    let heart = CBUUID(string: "180D")
    central.manager.scanForPeripherals(
      withServices: [heart],
      options: [
        CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true),
        CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [heart],
      ])
    #expect(central.manager.isScanning)
    central.manager.scanForPeripherals(withServices: [])
    await central.adapter.settle()
    let uuid = BLEUUID(UInt16(0x180D))
    #expect(
      central.adapter.central.scans == [
        ScanParameters(services: [uuid], solicitedServices: [uuid], allowsDuplicates: true), ScanParameters(),
      ])
    central.manager.stopScan()
    #expect(!central.manager.isScanning)
    await central.adapter.settle()
    #expect(!central.adapter.central.isScanning)
  }

  @Test("reports a discovery with Apple's keys and types, and omits data that were not advertised")
  func dictionary() async throws {
    let central = await CentralFixture()
    central.manager.scanForPeripherals(withServices: nil)
    await central.adapter.settle()
    let short = BLEUUID(UInt16(0x180D))
    let long = try #require(BLEUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
    let content = AdvertisementContent(
      octets: [], localName: "Owenli", manufacturerData: [0x4C, 0x00, 0x10],
      serviceData: [(short, [1, 2])], serviceUUIDs: [short, long], overflowServiceUUIDs: [long],
      solicitedServiceUUIDs: [short], txPowerLevel: -8, isConnectable: true)
    await central.adapter.central.discover(.first, content, rssi: -61)
    await central.adapter.central.discover(.second, .named(nil), rssi: 127)
    let full = try #require(central.recorder.advertisements.first)
    #expect(full[CBAdvertisementDataLocalNameKey] as? String == "Owenli")
    #expect(full[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0x00, 0x10]))
    #expect(
      full[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [CBUUID(string: "180D"): Data([1, 2])])
    let uuids = try #require(full[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])
    #expect(uuids.map(\.data.count) == [2, 16])
    #expect((full["kCBAdvDataHashedServiceUUIDs"] as? [CBUUID])?.count == 1)
    #expect((full[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID])?.count == 1)
    #expect(full[CBAdvertisementDataTxPowerLevelKey] as? NSNumber == -8)
    #expect(full[CBAdvertisementDataIsConnectable] as? Bool == true)
    #expect(full[CBAdvertisementDataIsConnectable] as? NSNumber == 1)
    #expect(Array(central.recorder.advertisements[1].keys) == [CBAdvertisementDataIsConnectable])
    #expect(central.recorder.told == ["discovered Owenli -61", "discovered - 127"])
  }

  @Test("one device is one object as long as the program retains it")
  func identity() async throws {
    let central = await CentralFixture()
    central.manager.scanForPeripherals(withServices: nil)
    await central.adapter.settle()
    await central.adapter.central.discover(.first)
    await central.adapter.central.discover(.second)
    await central.adapter.central.discover(.first, .named("Renamed"))
    let found = central.recorder.found
    #expect(found[0] === found[2])
    #expect(found[0] !== found[1])
    #expect(found[0].name == "Renamed")
    #expect(found[0].identifier == PeerIdentifier.first.uuid)
  }

  @Test("nothing is reported after the stop, nor of an earlier scan")
  func nothingAfterStop() async {
    let central = await CentralFixture()
    central.manager.scanForPeripherals(withServices: nil)
    await central.adapter.settle()
    central.recorder.reactions["discovered"] = { central.manager.stopScan() }
    await central.adapter.central.tell { events in
      for peer in [PeerIdentifier.first, .second] {
        events.central(
          didDiscover: DiscoveryEvent(
            peer: peer, address: DeviceAddress(1, kind: .public), name: nil, content: .named(nil), rssi: -1))
      }
    }
    #expect(central.recorder.told == ["discovered - -1"])
  }

  @Test("ends when Bluetooth is switched off")
  func powerOff() async {
    let central = await CentralFixture()
    central.manager.scanForPeripherals(withServices: nil)
    await central.adapter.settle()
    await central.adapter.setState(.poweredOff)
    #expect(!central.manager.isScanning)
  }
}
