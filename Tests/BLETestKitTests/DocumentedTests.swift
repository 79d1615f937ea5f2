import BLETestKit
import CoreBluetooth
import Testing

@Suite(.keepsCapture)
struct LampTests {
  @Test func theAppWinsTheLampBack() async throws {
    let world = World()
    let lamp = world.makeDevice("lamp")
    let phone = world.makeDevice("phone")
    let peripheral = LampPeripheral(options: lamp.options)
    let app = App(options: phone.options)

    try await world.wait(within: .seconds(10)) { app.isConnected }
    lamp.moveAway()
    try await world.wait(within: .seconds(30)) { !app.isConnected }
    lamp.comeBack()
    try await world.wait(within: .seconds(30)) { app.isConnected }
    withExtendedLifetime(peripheral) {}
  }
}

@Test func theAppReconnectsWhenTheLampHasANewBattery() async throws {
  let world = World()
  let lamp = world.makeDevice("lamp"), phone = world.makeDevice("phone")
  let peripheral = LampPeripheral(options: lamp.options)  // a CBPeripheralManager that plays the lamp
  let app = App(options: phone.options)  // the app's own class with its CBCentralManager
  try await world.wait(within: .seconds(5)) { app.isConnected }
  lamp.cutPower()  // the battery is pulled out
  await world.advance(by: .seconds(3_600))  // an hour, in milliseconds
  #expect(!app.isConnected)
  lamp.restorePower()
  try await world.wait(within: .seconds(5)) { app.isConnected }
  withExtendedLifetime(peripheral) {}
}

// The README and Docs/testing.md contain the two tests above, word for word (`Tools/check-snippets`). Below are their
// programs.

/// Stays connected to a lamp.
///
/// `@unchecked Sendable`: used on its serial queue only, and looked at while the world is not running.
private final class App: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private var manager: CBCentralManager?
  private var lamp: CBPeripheral?
  var isConnected: Bool { lamp?.state == .connected }

  init(options: [String: Any]? = nil) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "app"), options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [LampPeripheral.service]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    lamp = peripheral
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    central.connect(peripheral)
  }
}

/// A lamp that can be connected to.
private final class LampPeripheral: NSObject, CBPeripheralManagerDelegate {
  static let service = CBUUID(string: "FFE5")
  private var manager: CBPeripheralManager?

  init(options: [String: Any]) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "lamp"), options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
  }
}
