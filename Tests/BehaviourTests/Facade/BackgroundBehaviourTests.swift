import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("An application in the background", .keepsCapture)
struct BackgroundBehaviourTests {
  private static let service = CBUUID.of("FF11")

  @Test(
    "B11.3 an application in the background finds only services it scans for, each content once, also with duplicates allowed"
  )
  func scanning() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let (open, filtered) = (CentralApp(phone.options), CentralApp(phone.options))
    await world.settle()
    publisher.manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    let options = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
    open.manager.scanForPeripherals(withServices: nil, options: options)
    filtered.manager.scanForPeripherals(withServices: [Self.service], options: options)
    await world.advance(by: .seconds(5))
    // By default a process on Linux is in the foreground.
    #expect(open.sightings.count > 10 && filtered.sightings.count > 10)
    phone.enterBackground()
    await world.settle()
    open.forget()
    filtered.forget()
    await world.advance(by: .seconds(30))
    #expect(open.sightings.isEmpty && (0...2).contains(filtered.sightings.count))
    phone.enterForeground()
    await world.advance(by: .seconds(5))
    #expect(open.sightings.count > 10 && filtered.sightings.count > 10)
  }

  @Test(
    "B11.3 the name of an application in the background is not advertised, and its services are in the overflow area")
  func advertising() async throws {
    let world = World()
    let device = world.makeDevice("device")
    let publisher = PeripheralApp(device.options)
    let app = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    publisher.manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "device", CBAdvertisementDataServiceUUIDsKey: [Self.service],
    ])
    await world.settle()
    device.enterBackground()
    app.manager.scanForPeripherals(withServices: [Self.service])
    await world.advance(by: .seconds(10))
    let data = try #require(app.sightings.last?.data)
    #expect(data[CBAdvertisementDataLocalNameKey] == nil && data[CBAdvertisementDataServiceUUIDsKey] == nil)
    #expect(data[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] == [Self.service])
    #expect(publisher.manager.isAdvertising)
    device.enterForeground()
    app.forget()
    await world.advance(by: .seconds(10))
    #expect(app.names.last == "device")
  }
}
