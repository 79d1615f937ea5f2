import BLETestKit
import CoreBluetooth
import Testing

/// A central app on a phone and a device that it has found.
struct Meeting {
  let world: World
  let phone: Device
  let central: CentralApp
  let found: CBPeripheral
  /// For a device that is a whole stack with an app on it.
  var device: Device?
  var accessory: AccessoryApp?
  /// For a device whose octets the test gives.
  var tag: ScriptedDevice?

  /// Service FFF0 with FFF1: read, write, write without response, notify.
  static func plainServices() -> [CBMutableService] {
    [AccessoryApp.service("FFF0", [AccessoryApp.characteristic("FFF1")])]
  }

  /// The phone has found an accessory app called "lamp".
  static func withAccessory(
    _ services: [CBMutableService] = plainServices(), in world: World = World(),
    prepare: (Device) -> Void = { _ in }
  ) async throws -> Meeting {
    let (phone, device) = (world.makeDevice("phone"), world.makeDevice("lamp"))
    prepare(device)
    let accessory = AccessoryApp(device.options, name: "lamp", services: services)
    let central = CentralApp(phone.options)
    let found = try await find("lamp", by: central, in: world)
    return Meeting(world: world, phone: phone, central: central, found: found, device: device, accessory: accessory)
  }

  /// The phone has found a scripted device called "tag".
  static func withTag(
    in world: World = World(), prepare: (ScriptedDevice, Device) -> Void = { _, _ in }
  ) async throws -> Meeting {
    let phone = world.makeDevice("phone")
    let tag = world.makeScriptedDevice("tag")
    tag.advertise(Advertisement.named("tag"))
    prepare(tag, phone)
    let central = CentralApp(phone.options)
    let found = try await find("tag", by: central, in: world)
    return Meeting(world: world, phone: phone, central: central, found: found, tag: tag)
  }

  static func find(_ name: String, by central: CentralApp, in world: World) async throws -> CBPeripheral {
    try await world.wait(within: .seconds(30)) { central.manager.state == .poweredOn }
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(30)) { central.names.contains(name) }
    central.manager.stopScan()
    await world.settle()
    let found = try central.sighted(name)
    central.forget()
    return found
  }

  /// The same, connected.
  func connected() async throws -> Meeting {
    central.manager.connect(found)
    try await world.wait(within: .seconds(30)) { found.state == .connected }
    await world.settle()
    central.forget()
    return self
  }

  /// The same, with all services and characteristics discovered.
  func walked() async throws -> Meeting {
    found.discoverServices(nil)
    await world.settle()
    for service in found.services ?? [] { found.discoverCharacteristics(nil, for: service) }
    await world.settle()
    central.forget()
    return self
  }

  /// An accessory app called "lamp", connected, with everything discovered.
  static func talking(
    _ services: [CBMutableService] = plainServices(), in world: World = World(),
    prepare: (Device) -> Void = { _ in }
  ) async throws -> Meeting {
    try await withAccessory(services, in: world, prepare: prepare).connected().walked()
  }

  func service(_ uuid: String) throws -> CBService {
    try #require(found.services?.first { $0.uuid == .of(uuid) }, "no service \(uuid)")
  }

  func characteristic(_ uuid: String = "FFF1") throws -> CBCharacteristic {
    let all = (found.services ?? []).flatMap { $0.characteristics ?? [] }
    return try #require(all.first { $0.uuid == .of(uuid) }, "no characteristic \(uuid)")
  }

  /// The lines of the log that are at least warnings.
  var complaints: [String] { world.logLines.filter { $0.level >= .warning }.map(\.text) }
}
