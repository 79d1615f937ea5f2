import BLECore
import BLECrypto

/// Where a pairing takes from what it cannot know by itself: chance, the key pair, and which bonds there are.
public protocol PairingSource: AnyObject {
  /// The key pair of Secure Connections.
  func keyPair() -> P256PrivateKey
  /// A fresh nonce.
  func nonce() -> AESBlock
  /// A fresh passkey, each equally likely.
  func passkey() -> SixDigits
  /// A fresh key of legacy pairing, of full length.
  func longTermKey() -> LongTermKey
  /// A fresh key for signed commands.
  func signingKey() -> SecretKey
  /// How good the keys are that are kept of the device with this identity; `nil` where there are none.
  func security(ofBondWith identity: DeviceAddress) -> PairingSecurity?
}

/// What one pairing is about.
public struct PairingParameters: Sendable {
  /// The central initiates pairings, the peripheral responds.
  public var role: LinkRole
  /// Which pairing of the link this is, counted by its owner.
  public var number = 0
  /// The address by which this device is connected.
  public var localAddress: DeviceAddress
  /// The address by which the peer is connected.
  public var peerAddress: DeviceAddress
  public var policy: SecurityPolicy
  public var identity: LocalIdentity
  public var outOfBand: OutOfBandExchange
  /// The link is encrypted with keys of this identity: whoever is there has proved to be that device.
  public var provenIdentity: DeviceAddress?
  /// Whom the peer is taken for, and shown to the user as, by the address of the link: which anybody can have. `nil` where that is
  /// a private address of nobody who is known.
  public var knownIdentity: DeviceAddress?

  public init(
    role: LinkRole, localAddress: DeviceAddress, peerAddress: DeviceAddress, policy: SecurityPolicy,
    identity: LocalIdentity, outOfBand: OutOfBandExchange = OutOfBandExchange(), provenIdentity: DeviceAddress? = nil
  ) {
    self.role = role
    self.localAddress = localAddress
    self.peerAddress = peerAddress
    self.policy = policy
    self.identity = identity
    self.outOfBand = outOfBand
    self.provenIdentity = provenIdentity
    knownIdentity = peerAddress.isIdentity ? peerAddress : nil
  }
}
