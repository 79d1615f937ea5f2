import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("R3.10: background modes", .keepsCapture)
struct BackgroundTests {
  private static let service = CBUUID(string: "FFF0")
  private static let everyPacket = [CBCentralManagerScanOptionAllowDuplicatesKey: true]

  @Test("R3.10 in the background a scan without a filter finds nothing, and one with a filter has no duplicates")
  func scanning() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let owenli = Devices.owenli(on: world.makeDevice("owenli"))
    let other = PeripheralApp("other", on: world.makeDevice("other"))
    let open = CentralApp(phone.options)
    let filtered = CentralApp(phone.options)
    phone.enterBackground()
    await world.settle()
    open.manager.scanForPeripherals(withServices: nil, options: Self.everyPacket)
    await world.advance(by: .seconds(5))
    // No listener, so no event.
    #expect(world.scanWindows.isEmpty)
    filtered.manager.scanForPeripherals(withServices: [Self.service], options: Self.everyPacket)
    await world.advance(by: .seconds(30))
    #expect(open.sightings.isEmpty && open.manager.isScanning)
    #expect(Set(filtered.names) == ["Owenli"])
    // Once for the advertisement, and once more when the scan response has brought the rest.
    #expect(filtered.sightings.count <= 2)

    phone.enterForeground()
    await world.advance(by: .seconds(5))
    #expect(Set(open.names) == ["Owenli", "other"])
    #expect(open.sightings.count > 20 && filtered.sightings.count > 10)
    phone.enterBackground()
    await world.settle()
    let (openCount, filteredCount) = (open.sightings.count, filtered.sightings.count)
    await world.advance(by: .seconds(20))
    #expect(open.sightings.count == openCount && filtered.sightings.count <= filteredCount + 1)
    // A tenth of the time, then nearly all of it, then a tenth again.
    #expect(world.scanWindows == [.init(300, 30), .init(60, 52.5), .init(300, 30)])
    withExtendedLifetime((owenli, other)) {}
  }

  @Test("R3.10 in the background the name is not advertised, and only scans for its services find the device")
  func advertising() async throws {
    let world = World()
    let device = world.makeDevice("device")
    let owenli = Devices.owenli(on: device)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    device.enterBackground()
    await world.settle()
    #expect(owenli.manager.isAdvertising)
    central.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(5))
    let silent = try #require(central.sightings.first?.data)
    #expect(Set(silent.keys) == [CBAdvertisementDataIsConnectable])

    central.sightings = []
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "FFE0")])
    await world.advance(by: .seconds(5))
    let found = try #require(central.sightings.first)
    #expect(found.name == nil && found.data[CBAdvertisementDataServiceUUIDsKey] == nil)
    let overflow = found.data[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID]
    #expect(overflow == [CBUUID(string: "FFE0")])
    // Services of another application are not there.
    central.sightings = []
    central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    await world.advance(by: .seconds(5))
    #expect(central.sightings.isEmpty)

    device.enterForeground()
    central.manager.scanForPeripherals(withServices: [Self.service])
    await world.advance(by: .seconds(5))
    #expect(central.names.first == "Owenli")
    let services = central.sightings.first?.data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
    #expect(services == [Self.service, CBUUID(string: "FFE0")])
    withExtendedLifetime(owenli) {}
  }

  @Test("R3.10 in the background advertising is slower, also when it starts there, and on an older controller")
  func pace() async throws {
    for hasExtendedAdvertising in [true, false] {
      let world = World()
      let device = world.makeDevice("device")
      var configuration = ControllerConfiguration()
      configuration.supportsExtendedAdvertising = hasExtendedAdvertising
      device.setController(configuration)
      device.resetController()
      let owenli = Devices.owenli(on: device)
      device.enterBackground()
      let central = CentralApp(world.makeDevice("phone").options)
      await world.settle()
      central.manager.scanForPeripherals(withServices: [Self.service], options: Self.everyPacket)
      await world.advance(by: .seconds(20))
      // About one each second, with its scan response, less those that fall into the gaps of the scan.
      let slow = central.sightings.count
      #expect((16...42).contains(slow))
      device.enterForeground()
      await world.advance(by: .seconds(20))
      #expect(central.sightings.count - slow > 200)
      withExtendedLifetime(owenli) {}
    }
  }

  @Test("R3.10 in the background connections stay, and new ones are made")
  func connection() async throws {
    let talk = try await Conversation.start(with: Devices.owenli)
    talk.phone.enterBackground()
    talk.other.enterBackground()
    try await talk.read("FFF2")
    #expect(talk.central.values == [Data("owenli".utf8)])
    talk.central.manager.cancelPeripheralConnection(talk.found)
    await talk.world.settle()
    try await talk.connect(within: .seconds(30))
  }
}

/// How long a scanner listens in each interval, in milliseconds.
private struct ScanPace: Equatable {
  let interval: Double
  let window: Double
  init(_ interval: Double, _ window: Double) {
    self.interval = interval
    self.window = window
  }
}

extension World {
  /// The parameters that hosts gave their controllers, from the capture: HCI_LE_Set_Extended_Scan_Parameters (Core, Vol 4
  /// Part E 7.8.64) for active scanning on one PHY.
  fileprivate var scanWindows: [ScanPace] {
    let octets = capture
    return octets.indices.dropLast(12).compactMap { index in
      guard octets[index] == 0x41, octets[index + 1] == 0x20, octets[index + 2] == 8, octets[index + 5] == 1 else {
        return nil
      }
      func milliseconds(_ offset: Int) -> Double {
        Double(UInt16(octets[index + offset]) | UInt16(octets[index + offset + 1]) << 8) * 0.625
      }
      return ScanPace(milliseconds(7), milliseconds(9))
    }
  }
}
