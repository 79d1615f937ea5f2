internal import BLEAdapter

/// A device on the other end: a peripheral or a central.
///
/// Availability: iOS 8.0, macOS 10.13.
open class CBPeer: NSObject, NSCopying {
  let peerIdentifier: PeerIdentifier

  init(_ identifier: PeerIdentifier) {
    peerIdentifier = identifier
    super.init()
  }

  @available(*, unavailable)
  public override init() { raise("A peer is only vended by a manager") }

  /// What names the device on this machine, in this process and the next; never its address, and not the same on two machines.
  ///
  /// Availability: iOS 7.0, macOS 10.13.
  open var identifier: UUID { UUID(high: peerIdentifier.high, low: peerIdentifier.low) }

  /// The object itself: a device has one object for each manager.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
