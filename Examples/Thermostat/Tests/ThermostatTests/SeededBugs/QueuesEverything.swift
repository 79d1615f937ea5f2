#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: without a link everything that the user does is queued.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class QueuesEverything: ThermostatSession, @unchecked Sendable {
    override func enqueue(_ request: Request) { waiting.append(request) }
  }
#endif
