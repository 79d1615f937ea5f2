import BLETestKit
import CoreBluetooth

/// A central connected to a peripheral with one characteristic that can do everything, discovered and subscribed.
struct Pair {
  static let service = CBUUID(string: "7B0F0000-0000-4C1E-8B6F-0123456789AB")
  static let characteristic = CBUUID(string: "7B0F0001-0000-4C1E-8B6F-0123456789AB")

  let world: World
  let central: CentralProgram
  let peripheral: PeripheralProgram
  let local: CBMutableCharacteristic
  let remote: CBCharacteristic
  let found: CBPeripheral

  /// - Parameter readValue: what is answered when the characteristic is read.
  init(readValue: Data, in world: World = World(seed: 1, keepsPackets: false)) async throws {
    self.world = world
    let queue = DispatchQueue(label: "programs")
    local = CBMutableCharacteristic(
      type: Self.characteristic, properties: [.read, .writeWithoutResponse, .notify], value: nil,
      permissions: [.readable, .writeable])
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = [local]
    let peripheral = PeripheralProgram(
      "peer", queue: queue, options: world.makeDevice("peripheral").options, services: [service],
      readValue: readValue)
    let central = CentralProgram(queue: queue, options: world.makeDevice("central").options)
    (self.central, self.peripheral) = (central, peripheral)
    try await world.wait(within: .seconds(10)) { peripheral.isAdvertising }
    central.manager.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(30)) { central.connected == 1 }
    central.manager.stopScan()
    found = central.found[0]
    central.discoverEverything(of: found)
    try await world.wait(within: .seconds(30)) { central.discoveriesLeft == 0 }
    guard let remote = central.characteristic(Self.characteristic, of: found) else {
      throw Failure(description: "the characteristic was not discovered")
    }
    self.remote = remote
    found.setNotifyValue(true, for: remote)
    try await world.wait(within: .seconds(30)) { central.notifying == 1 && peripheral.subscribers == 1 }
    // What the link still negotiates is no part of what is measured.
    await world.advance(by: .seconds(3))
  }

  /// The time in which any of the work here must be done in the world.
  static let limit = Duration.seconds(3600)
}
