import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A central app on a phone and a device that it has found.
struct Meeting: Encounter {
  let world: World
  let phone: Device
  let central: CentralApp
  let found: CBPeripheral
  /// For a device that is a whole stack with an app on it.
  var device: Device?
  var accessory: PeripheralApp?
  /// For a device whose octets the test gives.
  var tag: ScriptedDevice?

  /// Service FFF0 with FFF1: read, write, write without response, notify.
  static func plainServices() -> [CBMutableService] {
    [CBMutableService("FFF0", [characteristic("FFF1")])]
  }

  /// A characteristic with all usual properties, whose value is answered by the app.
  static func characteristic(
    _ uuid: String, _ properties: CBCharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify]
  ) -> CBMutableCharacteristic {
    var permissions: CBAttributePermissions = []
    if properties.contains(.read) { permissions.insert(.readable) }
    if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
    return CBMutableCharacteristic(uuid, properties, permissions)
  }

  /// The phone has found an accessory app called "lamp".
  static func withAccessory(
    _ services: [CBMutableService] = plainServices(), in world: World = World(),
    prepare: (Device) -> Void = { _ in }
  ) async throws -> Meeting {
    let (phone, device) = (world.makeDevice("phone"), world.makeDevice("lamp"))
    prepare(device)
    let accessory = PeripheralApp("lamp", on: device, services: services, advertises: [])
    let central = CentralApp(phone.options)
    let found = try await find("lamp", by: central, in: world)
    accessory.told = []
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
    let found = try await central.find(name, in: world, within: .seconds(30))
    await world.settle()
    central.forget()
    return found
  }

  /// The same, connected.
  func connected() async throws -> Meeting {
    try await connect(within: .seconds(30))
    await world.settle()
    central.forget()
    return self
  }

  /// The same, with all services and characteristics discovered.
  func walked() async throws -> Meeting {
    await discoverAll()
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

  /// The lines of the log that are at least warnings.
  var complaints: [String] { world.logLines.filter { $0.level >= .warning }.map(\.text) }
}
