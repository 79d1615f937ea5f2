#if canImport(BLETestKit)
  import CoreBluetooth

  @testable import Thermostat

  /// Seeded bug: it keeps the characteristic that it has written to first, and writes to it on later links as well.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class KeepsFirstAttributes: ThermostatSession, @unchecked Sendable {
    private var first: [CBUUID: CBCharacteristic] = [:]

    override func attribute(for request: Request) -> CBCharacteristic? {
      first[request.characteristic] = first[request.characteristic] ?? super.attribute(for: request)
      return first[request.characteristic]
    }
  }
#endif
