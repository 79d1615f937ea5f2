internal import BLEAdapter

/// A remote device: a peripheral or a central.
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

  /// The identifier of the device on this machine, in this process and later ones; never its address, and different on each machine.
  ///
  /// Availability: iOS 7.0, macOS 10.13.
  open var identifier: UUID { UUID(high: peerIdentifier.high, low: peerIdentifier.low) }

  /// The object itself: a manager has one object for each device.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
