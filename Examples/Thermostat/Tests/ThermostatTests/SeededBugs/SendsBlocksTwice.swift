#if canImport(BLETestKit)
  @testable import Thermostat

  /// Not seeded: the example had this bug, and an exploration found it. Two answers make it send a block twice, the block is answered
  /// twice, and two transfers disturb each other for ever.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class SendsBlocksTwice: ThermostatSession, @unchecked Sendable {
    override func isRepeated(_ offset: Int) -> Bool { false }
  }
#endif
