#if canImport(BLETestKit)
  import Foundation

  @testable import Thermostat

  /// Seeded bug: it does not keep the peripherals that the system restores, and believes that their connections come by themselves.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class ReliesOnRestoration: ThermostatSession, @unchecked Sendable {
    private var wasRestored = false

    override func restore(_ state: [String: Any]) { wasRestored = true }
    override func findAgain(_ identifier: UUID) {
      if !wasRestored { super.findAgain(identifier) }
    }
  }
#endif
