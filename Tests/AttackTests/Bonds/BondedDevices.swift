import BLEHost
import BLETestKit
import CoreBluetooth

/// A peripheral, called `Safe`, and a central that have bonded and are connected.
struct BondedDevices {
  let world: World
  let phone: Device
  let sensor: Device
  let central: VictimCentral
  let peripheral: VictimPeripheral

  /// - Parameter policy: of both, for this first pairing.
  static func start(policy: SecurityPolicy = SecurityPolicy()) async throws -> BondedDevices {
    let world = World()
    let (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
    for device in [phone, sensor] { device.setSecurityPolicy(policy) }
    let peripheral = VictimPeripheral(sensor)
    let central = VictimCentral(phone, lookingFor: "Safe")
    try await world.wait(within: .seconds(10)) { central.isDiscovered }
    central.read("FF31")
    try await world.wait(within: .seconds(5)) { central.events.last == .value("FF31", "secret") }
    return BondedDevices(world: world, phone: phone, sensor: sensor, central: central, peripheral: peripheral)
  }

  func disconnect() async throws {
    if let found = central.peripheral { central.manager.cancelPeripheralConnection(found) }
    await world.advance(by: .seconds(1))
    central.events = []
  }

  /// Connects again, and reads the protected value: the value or the error.
  func reconnect() async throws -> VictimCentral.Event? {
    central.connect()
    try await world.wait(within: .seconds(10)) { [central] in central.isDiscovered }
    central.read("FF31")
    await world.advance(by: .seconds(1))
    return central.events.last
  }
}
