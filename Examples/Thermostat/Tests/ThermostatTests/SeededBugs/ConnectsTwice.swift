#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: after a lost link it connects at once and again a second later, whatever has become of the first attempt.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class ConnectsTwice: ThermostatSession, @unchecked Sendable {
    override func connectAgain() {
      super.connectAgain()
      _ = clock.start(after: .seconds(1), on: queue) { [weak self] in self?.connect() }
    }
  }
#endif
