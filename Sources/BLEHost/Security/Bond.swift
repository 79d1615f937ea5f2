import BLECore
import BLECrypto

/// What is stored of a bonded device: its keys, and what each side knows of the other's database.
public struct Bond: Sendable {
  /// The identity address of the device.
  public let identity: DeviceAddress
  /// The keys and their security.
  public let keys: PairingResult
  public var signing = SigningCounters()
  /// Whether the device itself initiated the pairing and the keys have encrypted no later link. At the limit of bonds, unused
  /// unauthenticated keys are removed first.
  public var isUnused = false
  /// Whether the peer is not known to have received the keys that this side sent last: the distribution is complete when they have
  /// arrived (Core, Vol 3 Part H 3.6.1), and the link may have ended before. If the peer does not have the keys, such a bond is
  /// removed, and no device has lost anything.
  public var isUnconfirmed = false
  /// The device's state as a client of this side's server.
  public var clientState: GATTClientState?
  /// The known layout of the device's server.
  public var layout: RemoteLayout?

  /// - Returns: `nil` if the pairing led to no bond, or the peer's identity is unknown.
  public init?(_ keys: PairingResult) {
    guard keys.isBonded, let identity = keys.peerIdentity, identity.isIdentity else { return nil }
    self.identity = identity
    self.keys = keys
  }
}

/// The counters of signed commands (Core, Vol 3 Part H 2.4.5).
public struct SigningCounters: Hashable, Sendable {
  /// The lowest counter of this side that is neither used nor reserved by the running process.
  public var nextLocal: UInt32 = 0
  /// The peer's counters up to this one are refused: the highest accepted, or the highest reserved by the running process. `nil` if
  /// none was accepted.
  public var lastPeer: UInt32?

  public init() {}
}
