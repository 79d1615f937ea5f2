import BLETestKit
import CoreBluetooth

extension CentralApp {
  /// Connects to the first device that `services` finds, and discovers everything.
  func connect(in world: World, services: [CBUUID]? = nil) async throws -> CBPeripheral {
    await world.settle()
    sightings = []
    manager.scanForPeripherals(withServices: services)
    try await world.wait(within: .seconds(10)) { !self.sightings.isEmpty }
    manager.stopScan()
    let found = sightings[0].peripheral
    manager.connect(found)
    try await world.wait(within: .seconds(10)) { found.state == .connected }
    await discoverAll(found, in: world)
    return found
  }

  func discoverAll(_ peripheral: CBPeripheral, in world: World) async {
    peripheral.discoverServices(nil)
    await world.settle()
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    await world.settle()
  }
}

/// A device that publishes, and a phone that is connected to it and has discovered everything.
struct Pair {
  let world: World
  let device: Device
  let phone: Device
  let publisher: Publisher
  let central: CentralApp
  let peripheral: CBPeripheral

  /// - Parameter mtu: the longest ATT PDU that the device accepts.
  static func start(_ services: [CBMutableService], mtu: Int = 517) async throws -> Pair {
    let world = World()
    let device = world.makeDevice("device")
    let phone = world.makeDevice("phone")
    device.setMaximumTransmissionUnit(mtu)
    let publisher = Publisher(device.options)
    let central = CentralApp(phone.options)
    await world.settle()
    for service in services { publisher.manager.add(service) }
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    let peripheral = try await central.connect(in: world)
    publisher.told = []
    central.forget()
    return Pair(
      world: world, device: device, phone: phone, publisher: publisher, central: central, peripheral: peripheral)
  }

  func characteristic(_ uuid: String) throws -> CBCharacteristic {
    try characteristic(uuid, of: peripheral)
  }

  func characteristic(_ uuid: String, of peripheral: CBPeripheral) throws -> CBCharacteristic {
    for service in peripheral.services ?? [] {
      if let found = service.characteristics?.first(where: { $0.uuid == CBUUID(string: uuid) }) { return found }
    }
    throw Missing(what: uuid)
  }

  /// Another phone, connected as well.
  func join(_ name: String) async throws -> (central: CentralApp, peripheral: CBPeripheral) {
    let central = CentralApp(world.makeDevice(name).options)
    let peripheral = try await central.connect(in: world)
    central.forget()
    return (central, peripheral)
  }

  struct Missing: Error { let what: String }
}
