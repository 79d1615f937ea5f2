extension GatewayConfiguration {
  /// The devices that several gateways share: each is kept by the one that holds its lease (`Docs/gateway-leases.md`).
  package struct Fleet: Sendable, Equatable {
    /// Their names, which are the same at all gateways.
    package var devices: Set<String>
    /// By how many dB another gateway has to hear a device better to take it over.
    package var hysteresis = LeaseRules().hysteresis
    /// What is done without a broker.
    package var isolation = LeaseRules.Isolation.keep
  }

  /// Whether the device is kept by the gateway that holds its lease.
  package func isInFleet(_ device: Device) -> Bool { fleet?.devices.contains(device.name) ?? false }
}
