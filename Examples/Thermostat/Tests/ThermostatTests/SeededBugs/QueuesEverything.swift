#if canImport(BLETestKit)
  @testable import Thermostat

  /// Seeded bug: without a link everything that the user does is queued.
  final class QueuesEverything: ThermostatSession, @unchecked Sendable {
    override func enqueue(_ request: Request) { waiting.append(request) }
  }
#endif
