import BLECore

extension HCIEvent {
  /// Whatever form a connection complete event has, in the form that tells most; `nil` for any other event.
  public var connectionComplete: LEEnhancedConnectionCompleteEvent? {
    switch self {
    case .leEnhancedConnectionComplete(let event): event
    case .leConnectionComplete(let event):
      LEEnhancedConnectionCompleteEvent(
        status: event.status, connectionHandle: event.connectionHandle, role: event.role,
        peerAddress: event.peerAddress, localResolvableAddress: Self.noAddress, peerResolvableAddress: Self.noAddress,
        interval: event.interval, latency: event.latency, supervisionTimeout: event.supervisionTimeout,
        clockAccuracy: event.clockAccuracy)
    case .leEnhancedConnectionCompleteV2(let event):
      LEEnhancedConnectionCompleteEvent(
        status: event.status, connectionHandle: event.connectionHandle, role: event.role,
        peerAddress: event.peerAddress, localResolvableAddress: event.localResolvableAddress,
        peerResolvableAddress: event.peerResolvableAddress, interval: event.interval, latency: event.latency,
        supervisionTimeout: event.supervisionTimeout, clockAccuracy: event.clockAccuracy)
    default: nil
    }
  }

  private static let noAddress = DeviceAddress(0, kind: .random)
}
