import BLECore

/// What went wrong on an adapter, and how much passed, since this process began to use it: what an operator looks at to see whether a
/// gateway is well. Numbers only grow.
public struct AdapterCounters: Hashable, Sendable {
  /// How often the adapter was lost while it was in use: it was removed or did not answer any more, or its daemon ended.
  public var resets: Int
  /// How often a scan was begun again because it heard nothing any more.
  public var restartedScans: Int
  /// Links of this process that ended otherwise than by its own wish, by the reason; on BlueZ those of its centrals.
  public var lostLinks: [EndReason: Int]
  /// Octets of the HCI packets that went to the controller; `nil` where another process has the controller, as BlueZ's daemon.
  public var sentOctets: UInt64?
  /// Octets of the HCI packets that came from the controller; `nil` where another process has it.
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

  /// A link has ended. What this side wished for is no loss.
  package mutating func linkEnded(_ reason: EndReason) {
    if reason != .requested { lostLinks[reason, default: 0] += 1 }
  }
}
