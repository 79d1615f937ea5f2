#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: the timer of an answered request runs on, and ends the request that is under way ten seconds later.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class LeavesTimeOutsRunning: ThermostatSession, @unchecked Sendable {
    override func stopTimeOut() {}
  }
#endif
