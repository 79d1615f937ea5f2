import BLECore
import BLECrypto

/// What is kept of a device that this one has paired with: its keys, and what each side knows of the other's database.
public struct Bond: Sendable {
  /// What names the device for good.
  public let identity: DeviceAddress
  /// Keys, and how good they are.
  public let keys: PairingResult
  public var signing = SigningCounters()
  /// The device itself began the pairing, and the keys have encrypted no later link: where there is no room for further keys, those
  /// that prove nothing about the device make room first.
  public var isUnused = false
  /// What the device wants of this side's server.
  public var clientState: GATTClientState?
  /// What this side knows of the device's server.
  public var layout: RemoteLayout?

  /// - Returns: `nil` where the pairing led to no bond, or to nothing that names the device.
  public init?(_ keys: PairingResult) {
    guard keys.isBonded, let identity = keys.peerIdentity, identity.isIdentity else { return nil }
    self.identity = identity
    self.keys = keys
  }
}

/// How far the counters of signed commands have got (Core, Vol 3 Part H 2.4.5).
public struct SigningCounters: Hashable, Sendable {
  /// The lowest that this side has not used, and has not set aside for use by the process that runs now.
  public var nextLocal: UInt32 = 0
  /// Nothing up to here is accepted of the peer: the highest that was, or what is set aside for the process that runs now;
  /// `nil`: none.
  public var lastPeer: UInt32?

  public init() {}
}
