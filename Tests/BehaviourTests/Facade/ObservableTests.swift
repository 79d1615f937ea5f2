import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Objects that programs observe, copy and compare", .keepsCapture)
struct ObservableTests {
  /// Reads the observable properties in each callback.
  ///
  /// `@unchecked Sendable`: callbacks come on the serial queue, and the test looks only while the world is not running.
  private final class Watcher: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    var manager: CBCentralManager!
    var peripheral: CBPeripheral?
    var seen: [String] = []

    init(_ options: [String: Any]) {
      super.init()
      manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "watcher"), options: options)
    }

    private func look(_ occasion: String) {
      let state = peripheral.map { "\($0.state.rawValue) \($0.name ?? "-")" } ?? "-"
      seen.append("\(occasion): \(manager.isScanning) \(state)")
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { look("state") }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      self.peripheral = peripheral
      peripheral.delegate = self
      look("found")
      central.stopScan()
      look("stopped")
      central.connect(peripheral)
      look("asked")
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
      look("connected")
      peripheral.discoverServices(nil)
    }
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { look("named") }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
      manager.cancelPeripheralConnection(peripheral)
      look("left")
    }
    func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
      look("gone")
    }
  }

  @Test(
    "B12.1 isScanning, state and name have their new values immediately after a call, and before a delegate is called")
  func observed() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let watcher = Watcher(world.makeDevice("phone").options)
    await world.settle()
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "advertised"])
    watcher.manager.scanForPeripherals(withServices: nil)
    #expect(watcher.manager.isScanning)
    await world.advance(by: .seconds(5))
    let named = watcher.seen.filter { $0.hasPrefix("named") }
    #expect(named.allSatisfy { $0.hasSuffix("device") })
    let rest = watcher.seen.filter { !$0.hasPrefix("named") }.map { line in
      line.split(separator: " ").dropLast().joined(separator: " ")
    }
    #expect(
      rest == [
        "state: false", "found: true 0", "stopped: false 0", "asked: false 1", "connected: false 2", "left: false 3",
        "gone: false 0",
      ])
    #expect(watcher.seen[1].hasSuffix(" advertised"))
  }

  @Test("B12.2 copies are the object itself; a peripheral is equal to itself, and identifiers distinguish devices")
  func copies() async throws {
    let line = CBMutableCharacteristic("FF22", .notify)
    let pair = try await Pair.start([CBMutableService("FF11", [line])])
    try await pair.subscribe("FF22")
    let central = try #require(pair.publisher.subscribers.first)
    #expect(pair.peripheral.copy() as? CBPeripheral === pair.peripheral)
    #expect(central.copy() as? CBCentral === central)
    let uuid = CBUUID(string: "180F")
    #expect(uuid.copy() as? CBUUID === uuid)
    let other = CentralApp(pair.phone.options)
    await pair.world.settle()
    let again = try #require(other.manager.retrievePeripherals(withIdentifiers: [pair.peripheral.identifier]).first)
    let same = try #require(
      pair.central.manager.retrievePeripherals(withIdentifiers: [pair.peripheral.identifier]).first)
    #expect(same === pair.peripheral && same == pair.peripheral && same.hash == pair.peripheral.hash)
    #expect(again != pair.peripheral && again.identifier == pair.peripheral.identifier)
    #expect(Set([pair.peripheral, same, again]).count == 2)
    #expect([pair.peripheral.identifier: 1][again.identifier] == 1)
  }
}
