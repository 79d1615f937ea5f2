#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: an update is over for it when the last fragment was handed over to the system, which a lost link then discards.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class CountsHandedOverAsInstalled: ThermostatSession, @unchecked Sendable {
    override func lastFragmentWasHandedOver() { finishUpdate() }
  }
#endif
