import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A lamp that can be read, and a phone whose app seeks it.
///
/// `@unchecked Sendable`: used by one test, between the runs of its world.
final class MovingScene: @unchecked Sendable {
  let world: World
  let lamp: Device
  let phone: Device
  let peripheral: PeripheralApp
  let central: CentralApp

  /// - Parameter apart: in metres; `nil` leaves both where the world places them.
  init(_ world: World, apart: Double? = nil) {
    self.world = world
    lamp = world.makeDevice("lamp", at: apart.map { _ in .origin })
    phone = world.makeDevice("phone", at: apart.map { Position(x: $0) })
    let service = CBMutableService("FFE0", [CBMutableCharacteristic("FFE1", .read)])
    peripheral = PeripheralApp("lamp", on: lamp, services: [service], advertises: [])
    peripheral.value = Data("on".utf8)
    central = CentralApp(phone.options)
  }

  /// Finds the lamp, connects to it and walks through its database.
  func connect(within limit: Duration = .seconds(60)) async throws {
    central.seek("lamp")
    try await world.wait(within: limit) { self.central.isWalked }
  }

  /// The RSSI values of its advertisements during a time.
  func signals(for duration: Duration) async -> [Int] {
    central.sightings = []
    await world.advance(by: duration)
    return central.sightings.filter { $0.name == "lamp" }.map(\.rssi.intValue)
  }
}
