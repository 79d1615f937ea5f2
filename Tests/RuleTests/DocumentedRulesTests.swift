import BLETestKit
import CoreBluetooth
import Testing

/// The program in Docs/ios-rules.md.
@Test func theAppKeepsTheRules() async throws {
  let world = World()
  world.rules = .iOS(18, suppressing: [.init(20, because: "the app lists all devices around")])
  let app = Scanner(options: world.makeDevice("phone").options)
  await world.advance(by: .seconds(5))
  withExtendedLifetime(app) {}
}

/// `@unchecked Sendable`: it is used on its queue only.
private final class Scanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private var manager: CBCentralManager?

  init(options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "scanner"), options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }
}
