import BLETestKit
import CoreBluetooth

/// A central app and the peripheral that it has found. Each step goes on until the world has nothing left to do.
public protocol Encounter {
  var world: World { get }
  var central: CentralApp { get }
  var found: CBPeripheral { get }
}

extension Encounter {
  public func service(_ uuid: String) throws -> CBService { try found.service(uuid) }
  public func characteristic(_ uuid: String = "FFF1") throws -> CBCharacteristic { try found.characteristic(uuid) }

  public func connect(within limit: Duration = .seconds(10)) async throws {
    try await central.connect(to: found, in: world, within: limit)
  }
  public func discoverAll() async { await found.discoverAll(in: world) }

  /// Ends the connection; a second later both sides know it.
  public func disconnect() async {
    central.manager.cancelPeripheralConnection(found)
    await world.advance(by: .seconds(1))
  }

  public func read(_ uuid: String = "FFF1") async throws { await found.read(try characteristic(uuid), in: world) }

  /// Writes with response.
  public func write(_ value: Data, to uuid: String = "FFF1") async throws {
    await found.write(value, to: try characteristic(uuid), in: world)
  }

  public func subscribe(_ uuid: String = "FFF1") async throws {
    await found.notify(true, try characteristic(uuid), in: world)
  }

  public func unsubscribe(_ uuid: String = "FFF1") async throws {
    await found.notify(false, try characteristic(uuid), in: world)
  }
}
