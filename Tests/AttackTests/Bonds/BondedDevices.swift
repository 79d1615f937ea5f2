import BLEHost
import BLETestKit
import CoreBluetooth
import TestSupport

/// A peripheral, called `Safe`, and a central that have bonded and are connected.
struct BondedDevices {
  let world: World
  let phone: Device
  let sensor: Device
  let central: CentralApp
  let peripheral: PeripheralApp

  /// - Parameter policy: of both, for this first pairing.
  static func start(policy: SecurityPolicy = SecurityPolicy()) async throws -> BondedDevices {
    let world = World()
    let (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
    for device in [phone, sensor] { device.setSecurityPolicy(policy) }
    let peripheral = PeripheralApp.safe(sensor.options)
    let central = CentralApp(phone.options, seeking: "Safe")
    try await world.wait(within: .seconds(10)) { central.isWalked }
    central.read("FF31")
    try await world.wait(within: .seconds(5)) { central.events.last == .value("FF31", "secret") }
    return BondedDevices(world: world, phone: phone, sensor: sensor, central: central, peripheral: peripheral)
  }

  func disconnect() async throws {
    central.disconnect()
    await world.advance(by: .seconds(1))
    central.events = []
  }

  /// Connects again, and reads the protected value: the value or the error.
  func reconnect() async throws -> CentralApp.Event? {
    central.connect()
    _ = try await readsSecret()
    return central.events.last
  }

  /// Whether the protected value is read over the link that there is or comes.
  func readsSecret(within limit: Duration = .seconds(10)) async throws -> Bool {
    try await world.wait(within: limit) { [central] in central.isWalked }
    central.read("FF31")
    await world.advance(by: .seconds(1))
    return central.events.last == .value("FF31", "secret")
  }
}
