import BLEAdapter
import CoreBluetooth
import Testing

@Suite("Peripherals that a scan reports again and again")
struct RecentPeripheralTests {
  private func scanning() async -> CentralFixture {
    let central = await CentralFixture()
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    await central.adapter.settle()
    return central
  }

  @Test("I16.2 a device that is reported again is the same object, though the program keeps none, until the scan ends")
  func again() async throws {
    let central = await scanning()
    await central.adapter.central.discover(.first)
    weak let seen = central.recorder.found.last
    central.recorder.found = []
    await central.adapter.central.discover(.second)
    await central.adapter.central.discover(.first, .named("Renamed"))
    #expect(seen != nil)
    #expect(central.recorder.found.last === seen)
    #expect(seen?.name == "Renamed")
    central.recorder.found = []
    central.manager.stopScan()
    await central.adapter.settle()
    #expect(seen == nil)
  }

  @Test("I16.2 nothing is kept of them when Bluetooth is switched off, nor when the manager is released")
  func ends() async throws {
    var central: CentralFixture? = await scanning()
    await central?.adapter.central.discover(.first)
    weak var seen = central?.recorder.found.last
    central?.recorder.found = []
    await central?.adapter.setState(.poweredOff)
    #expect(seen == nil)
    await central?.adapter.setState(.poweredOn)
    central?.manager.scanForPeripherals(withServices: nil)
    await central?.adapter.settle()
    await central?.adapter.central.discover(.first)
    seen = central?.recorder.found.last
    #expect(seen != nil)
    central = nil
    #expect(seen == nil)
  }

  @Test("I16.2 a peripheral to be connected is given up when the program releases it, also if it is reported meanwhile")
  func connecting() async throws {
    let central = await scanning()
    await central.adapter.central.discover(.first)
    do {
      let peripheral = try #require(central.recorder.found.last)
      central.manager.connect(peripheral)
      await central.adapter.settle()
      await central.adapter.central.discover(.first)
      #expect(central.recorder.found.last === peripheral)
      central.recorder.found = []
    }
    await central.adapter.settle()
    #expect(central.adapter.central.cancelled == [.first])
  }

  @Test("I16.2 of a crowd whose devices the program does not keep, no more than a bounded number of objects stays")
  func crowd() async throws {
    let central = await scanning()
    var kept: [Weak] = []
    for number in 1...2_000 {
      await central.adapter.central.discover(PeerIdentifier(high: 7, low: UInt64(number)))
      kept.append(Weak(object: central.recorder.found.last))
      central.recorder.found = []
    }
    let alive = kept.count { $0.object != nil }
    #expect((1...600).contains(alive), "\(alive) objects")
  }

  private struct Weak {
    weak var object: CBPeripheral?
  }
}
