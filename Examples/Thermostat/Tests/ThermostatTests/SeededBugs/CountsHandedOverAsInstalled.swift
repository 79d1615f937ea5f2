#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: an update is over for it when the last fragment was handed over to the system, which a lost link then discards.
  final class CountsHandedOverAsInstalled: ThermostatSession, @unchecked Sendable {
    override func lastFragmentWasHandedOver() { finishUpdate() }
  }
#endif
