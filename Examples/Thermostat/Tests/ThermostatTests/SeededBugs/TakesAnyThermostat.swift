#if canImport(BLETestKit)
  import CoreBluetooth
  import Foundation

  @testable import Thermostat

  /// Seeded bug: where it has no object of its thermostat, after a restart, it takes the first device of that kind.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class TakesAnyThermostat: ThermostatSession, @unchecked Sendable {
    override func restore(_ state: [String: Any]) {
      // Only that it was looking for one.
      super.restore(state.filter { $0.key != CBCentralManagerRestoredStatePeripheralsKey })
    }
    override func findAgain(_ identifier: UUID) { scan() }
    override func isWanted(_ peripheral: CBPeripheral) -> Bool { true }
  }
#endif
