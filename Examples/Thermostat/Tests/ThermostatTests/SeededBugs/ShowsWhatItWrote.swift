#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: it shows the target that it has written when the answer arrives, over a newer one that was notified before.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class ShowsWhatItWrote: ThermostatSession, @unchecked Sendable {
    override func targetWasWritten(_ value: Int16) { target = value }
  }
#endif
