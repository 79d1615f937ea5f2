import BLECore

/// The failures and the traffic of an adapter since this process began to use it: an operator reads them to monitor a gateway.
/// The counters never decrease.
public struct AdapterCounters: Hashable, Sendable {
  /// How often the adapter was lost while it was in use: it was removed, did not answer, or its daemon ended.
  public var resets: Int
  /// How often a scan was restarted because it received nothing.
  public var restartedScans: Int
  /// Links of this process that ended without its request, by the reason; on BlueZ those of its centrals.
  public var lostLinks: [EndReason: Int]
  /// Octets of the HCI packets to the controller; `nil` if another process uses the controller, such as BlueZ's daemon.
  public var sentOctets: UInt64?
  /// Octets of the HCI packets from the controller; `nil` if another process uses it.
  public var receivedOctets: UInt64?

  public init(
    resets: Int = 0, restartedScans: Int = 0, lostLinks: [EndReason: Int] = [:], sentOctets: UInt64? = nil,
    receivedOctets: UInt64? = nil
  ) {
    self.resets = resets
    self.restartedScans = restartedScans
    self.lostLinks = lostLinks
    self.sentOctets = sentOctets
    self.receivedOctets = receivedOctets
  }

  /// A link has ended. An end that this side requested is not a loss.
  package mutating func linkEnded(_ reason: EndReason) {
    if reason != .requested { lostLinks[reason, default: 0] += 1 }
  }
}
