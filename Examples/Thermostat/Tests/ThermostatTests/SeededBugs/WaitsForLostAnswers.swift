#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: a request whose answer was lost with its link stays the current one, and all others wait behind it.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class WaitsForLostAnswers: ThermostatSession, @unchecked Sendable {
    override func returnCurrent() {}
  }
#endif
