import BLETestKit
import CoreBluetooth

/// A world of its own for each program.
///
/// `@unchecked Sendable`: the devices are behind the lock.
final class WorldStage: Stage, @unchecked Sendable {
  private let world = World()
  private let lock = NSLock()
  private var devices: [String: Device] = [:]

  init() { world.rules = .iOS(18) }

  /// What iOS would say of the program.
  var brokenRules: [BrokenRule] { world.brokenRules }

  func options(_ device: String) -> [String: Any] { named(device).options }

  func wait(_ seconds: Double, until condition: @escaping () -> Bool) async throws {
    try await world.wait(within: .seconds(seconds), for: condition)
  }

  func pass(_ seconds: Double) async { await world.advance(by: .seconds(seconds)) }
  func moveAway(_ device: String) { named(device).moveAway() }
  func comeBack(_ device: String) { named(device).comeBack() }

  private func named(_ name: String) -> Device {
    lock.withLock {
      if let device = devices[name] { return device }
      let device = world.makeDevice(name)
      devices[name] = device
      return device
    }
  }
}
