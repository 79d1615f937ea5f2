#if canImport(BLETestKit)
  import CoreBluetooth

  @testable import Thermostat

  /// Seeded bug: it subscribes on the first link of its process, and believes that a subscription lasts longer than its link.
  ///
  /// `@unchecked Sendable`: used on the session's queue only.
  final class SubscribesOnce: ThermostatSession, @unchecked Sendable {
    private var hasSubscribed = false

    override func subscriptions() -> Set<CBUUID> {
      defer { hasSubscribed = true }
      return hasSubscribed ? [] : super.subscriptions()
    }
  }
#endif
