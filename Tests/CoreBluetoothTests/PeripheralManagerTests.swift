import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@Suite("A peripheral manager")
struct PeripheralManagerTests {
  @Test("reports its state, and drops commands while Bluetooth is off")
  func state() async {
    let fixture = await PeripheralFixture(.poweredOff)
    #expect(fixture.manager.state == .poweredOff)
    fixture.manager.startAdvertising(nil)
    fixture.manager.add(PeripheralFixture.service(PeripheralFixture.dynamic()))
    await fixture.adapter.settle()
    #expect(fixture.recorder.told.isEmpty)
    #expect(fixture.adapter.lines.contains("API MISUSE: \(fixture.manager) can only accept this command while"))
    #expect(fixture.adapter.peripheral.services.isEmpty)
  }

  @Test("publishes a service as it is at that moment")
  func publishing() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "FF22"), properties: [.read, .write, .notifyEncryptionRequired], value: nil,
      permissions: [.readable, .writeEncryptionRequired])
    characteristic.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "name"),
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data(count: 7)),
    ]
    let service = PeripheralFixture.service(characteristic)
    #expect(characteristic.service === service)
    #expect(characteristic.descriptors?.first?.characteristic === characteristic)
    fixture.manager.add(service)
    characteristic.properties = [.read]
    service.characteristics = []
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["added FF11"])
    let published = fixture.adapter.peripheral.characteristic
    #expect(published.uuid == BLEUUID(UInt16(0xFF22)))
    #expect(published.properties == 0x1A)
    #expect(published.permissions == LocalPermissions(read: SecurityDemand.none, write: .encryption))
    #expect(published.subscription == .encryption)
    #expect(published.value == nil)
    #expect(published.descriptors.map(\.value.count) == [4, 7])
  }

  @Test("reports why a service could not be published, and it may be added again")
  func failure() async throws {
    let fixture = await PeripheralFixture()
    let service = PeripheralFixture.service(PeripheralFixture.dynamic())
    fixture.adapter.peripheral.addError = .uuidNotAllowed
    fixture.manager.add(service)
    await fixture.adapter.settle()
    #expect((fixture.recorder.errors.first as? CBError)?.code == .uuidNotAllowed)
    #expect(
      fixture.recorder.errors.first?.localizedDescription == "The specified UUID is not allowed for this operation.")
    fixture.adapter.peripheral.addError = nil
    fixture.manager.add(service)
    await fixture.adapter.settle()
    #expect(fixture.recorder.errors.count == 1)
    #expect(fixture.adapter.peripheral.services.count == 1)
  }

  @Test("refuses properties without the matching permission", arguments: [0x02, 0x08, 0x04] as [UInt])
  func contradiction(_ property: UInt) async {
    let fixture = await PeripheralFixture()
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "FF22"), properties: CBCharacteristicProperties(rawValue: property), value: nil,
      permissions: property == 0x02 ? [.writeable] : [.readable])
    fixture.manager.add(PeripheralFixture.service(characteristic))
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["added FF11"])
    #expect((fixture.recorder.errors.first as? CBError)?.code == .invalidParameters)
    #expect(fixture.adapter.peripheral.services.isEmpty)
  }

  @Test("publishes a service that includes the previous one without waiting, but not one that was never added")
  func included() async {
    let fixture = await PeripheralFixture()
    let first = PeripheralFixture.service(PeripheralFixture.dynamic())
    let second = CBMutableService(type: CBUUID(string: "FF12"), primary: true)
    second.includedServices = [first]
    fixture.manager.add(first)
    fixture.manager.add(second)
    let third = CBMutableService(type: CBUUID(string: "FF13"), primary: true)
    third.includedServices = [CBMutableService(type: CBUUID(string: "FF14"), primary: false)]
    fixture.manager.add(third)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["added FF11", "added FF12", "added FF13"])
    #expect(fixture.recorder.codes == [CBError.invalidParameters.rawValue])
    let services = fixture.adapter.peripheral.services
    let one = services.first { $0.value.uuid == BLEUUID(UInt16(0xFF11)) }
    let other = services.first { $0.value.uuid == BLEUUID(UInt16(0xFF12)) }
    #expect(other?.value.included == one.map { [$0.key] })
  }

  @Test("removes one service or all; removing an unpublished one does no harm")
  func removing() async {
    let fixture = await PeripheralFixture()
    let first = PeripheralFixture.service(PeripheralFixture.dynamic())
    let second = PeripheralFixture.service(PeripheralFixture.dynamic())
    fixture.manager.add(first)
    fixture.manager.add(second)
    fixture.manager.remove(CBMutableService(type: CBUUID(string: "FF99"), primary: true))
    await fixture.adapter.settle()
    fixture.manager.remove(first)
    await fixture.adapter.settle()
    #expect(fixture.adapter.peripheral.services.count == 1)
    fixture.manager.removeAllServices()
    fixture.manager.add(first)
    await fixture.adapter.settle()
    #expect(fixture.adapter.peripheral.services.count == 1)
    #expect(fixture.recorder.errors.isEmpty)
  }

  @Test("loses its services when Bluetooth is switched off, and they can be added again")
  func powerOff() async throws {
    let fixture = await PeripheralFixture()
    let characteristic = PeripheralFixture.dynamic()
    let service = PeripheralFixture.service(characteristic)
    fixture.manager.add(service)
    fixture.manager.startAdvertising(nil)
    await fixture.adapter.settle()
    await fixture.adapter.peripheral.subscribe(.first)
    #expect(fixture.manager.isAdvertising)
    fixture.recorder.clear()
    await fixture.adapter.setState(.poweredOff)
    #expect(fixture.recorder.told == ["state 4"])
    #expect(!fixture.manager.isAdvertising)
    #expect(characteristic.subscribedCentrals?.isEmpty == true)
    await fixture.adapter.setState(.poweredOn)
    fixture.manager.add(service)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["state 4", "state 5", "added FF11"])
  }

  @Test("publishes and unpublishes channels, and reports where it cannot")
  func channels() async {
    let fixture = await PeripheralFixture()
    fixture.manager.publishL2CAPChannel(withEncryption: false)
    fixture.manager.publishL2CAPChannel(withEncryption: true)
    fixture.manager.unpublishL2CAPChannel(0x80)
    fixture.manager.unpublishL2CAPChannel(0x81)
    await fixture.adapter.settle()
    #expect(fixture.adapter.peripheral.channelDemands == [.none, .encryption])
    #expect(fixture.recorder.told == ["published 128", "published 128", "unpublished 128", "unpublished 129"])
    #expect(fixture.recorder.codes == [CBError.invalidParameters.rawValue])
  }

  @Test("forwards hints about latency")
  func latency() async throws {
    let fixture = await PeripheralFixture()
    try await fixture.publish()
    await fixture.adapter.peripheral.subscribe(.first)
    let central = try #require(fixture.recorder.centrals.first)
    fixture.manager.setDesiredConnectionLatency(.high, for: central)
    await fixture.adapter.settle()
    #expect(fixture.adapter.peripheral.latencies == [.high])
  }
}

@Suite("Advertising")
struct AdvertisingTests {
  @Test("accepts the name and the services and nothing else, and is on when the delegate is called")
  func keys() async {
    let fixture = await PeripheralFixture()
    fixture.manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "My dear", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FF11")],
      CBAdvertisementDataManufacturerDataKey: Data([1]), CBAdvertisementDataTxPowerLevelKey: 3,
    ])
    #expect(!fixture.manager.isAdvertising)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["advertising true"])
    let services = [BLEUUID(UInt16(0xFF11))]
    #expect(
      fixture.adapter.peripheral.advertisements == [
        LocalAdvertisement(localName: "My dear", serviceUUIDs: services)
      ])
  }

  @Test("twice is an error that changes nothing")
  func twice() async {
    let fixture = await PeripheralFixture()
    fixture.manager.startAdvertising(nil)
    await fixture.adapter.settle()
    fixture.manager.startAdvertising(nil)
    await fixture.adapter.settle()
    #expect(fixture.recorder.told == ["advertising true", "advertising true"])
    #expect((fixture.recorder.errors.first as? CBError)?.code == .alreadyAdvertising)
    fixture.manager.stopAdvertising()
    #expect(!fixture.manager.isAdvertising)
    await fixture.adapter.settle()
    #expect(!fixture.adapter.peripheral.isAdvertising)
    #expect(fixture.recorder.told.count == 2)
  }

  @Test("stopped before it started stays off")
  func stopped() async {
    let fixture = await PeripheralFixture()
    fixture.manager.startAdvertising(nil)
    fixture.manager.stopAdvertising()
    await fixture.adapter.settle()
    #expect(!fixture.manager.isAdvertising)
  }
}
