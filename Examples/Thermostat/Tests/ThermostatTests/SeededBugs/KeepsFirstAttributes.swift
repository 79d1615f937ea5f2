#if canImport(BLETestKit)
  import CoreBluetooth

  @testable import Thermostat

  /// Seeded bug: it keeps the characteristics of its first link, and writes to them on later ones.
  final class KeepsFirstAttributes: ThermostatSession, @unchecked Sendable {
    private var first: CBCharacteristic?

    override func keep(_ characteristics: [CBCharacteristic]) {
      super.keep(characteristics)
      first = first ?? attributes[Profile.target]
      attributes[Profile.target] = first
    }

    override func subscriptions() -> Set<CBUUID> { super.subscriptions().subtracting([Profile.target]) }
  }
#endif
