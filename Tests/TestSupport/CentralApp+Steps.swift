import BLETestKit
import CoreBluetooth
import Testing

/// What most tests begin with, step by step.
extension CentralApp {
  /// Scans until a peripheral is seen, and then no longer. Waits before that until Bluetooth is switched on.
  /// - Parameter name: its advertisement's; `nil` for the first peripheral that is seen.
  public func find(
    _ name: String? = nil, services: [CBUUID]? = nil, in world: World, within limit: Duration = .seconds(10)
  ) async throws -> CBPeripheral {
    try await world.wait(within: limit) { self.manager.state == .poweredOn }
    let before = sightings.count
    let found = { self.sightings.dropFirst(before).first { name == nil || $0.name == name }?.peripheral }
    manager.scanForPeripherals(withServices: services)
    try await world.wait(within: limit) { found() != nil }
    manager.stopScan()
    return try #require(found())
  }

  /// Connects, and waits until it is connected.
  public func connect(
    to peripheral: CBPeripheral, in world: World, within limit: Duration = .seconds(10)
  ) async throws {
    manager.connect(peripheral)
    try await world.wait(within: limit) { peripheral.state == .connected }
  }

  /// Finds a peripheral, and connects to it.
  public func reach(_ name: String? = nil, services: [CBUUID]? = nil, in world: World) async throws -> CBPeripheral {
    let found = try await find(name, services: services, in: world)
    try await connect(to: found, in: world)
    return found
  }

  /// Finds a peripheral, connects to it, and discovers all its services and characteristics.
  public func meet(_ name: String? = nil, services: [CBUUID]? = nil, in world: World) async throws -> CBPeripheral {
    let found = try await reach(name, services: services, in: world)
    await found.discoverAll(in: world)
    return found
  }
}

extension World {
  /// A world with a device called "device", which is switched on, and an app on it that has published nothing yet.
  public static func withPublisher() async -> (World, PeripheralApp) {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    await world.settle()
    return (world, publisher)
  }

  /// The same, and a phone with an app that is not scanning yet.
  public static func withPublisherAndCentral() async -> (World, PeripheralApp, CentralApp) {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let central = CentralApp(world.makeDevice("phone").options)
    await world.settle()
    return (world, publisher, central)
  }
}

/// Each until the world has nothing left to do.
extension CBPeripheral {
  public func discoverServices(_ uuids: [CBUUID]? = nil, in world: World) async {
    discoverServices(uuids)
    await world.settle()
  }

  public func discoverDescriptors(for characteristic: CBCharacteristic, in world: World) async {
    discoverDescriptors(for: characteristic)
    await world.settle()
  }

  /// Discovers all services and their characteristics.
  public func discoverAll(in world: World) async {
    await discoverServices(in: world)
    for service in services ?? [] { discoverCharacteristics(nil, for: service) }
    await world.settle()
  }

  public func read(_ characteristic: CBCharacteristic, in world: World) async {
    readValue(for: characteristic)
    await world.settle()
  }

  public func read(_ descriptor: CBDescriptor, in world: World) async {
    readValue(for: descriptor)
    await world.settle()
  }

  /// Writes with response.
  public func write(_ value: Data, to characteristic: CBCharacteristic, in world: World) async {
    writeValue(value, for: characteristic, type: .withResponse)
    await world.settle()
  }

  public func notify(_ isOn: Bool, _ characteristic: CBCharacteristic, in world: World) async {
    setNotifyValue(isOn, for: characteristic)
    await world.settle()
  }

  /// A service that was discovered.
  public func service(_ uuid: String) throws -> CBService {
    try #require(services?.first { $0.uuid == .of(uuid) }, "no service \(uuid)")
  }

  /// A characteristic that was discovered.
  public func characteristic(_ uuid: String) throws -> CBCharacteristic {
    let all = (services ?? []).flatMap { $0.characteristics ?? [] }
    return try #require(all.first { $0.uuid == .of(uuid) }, "no characteristic \(uuid)")
  }
}
