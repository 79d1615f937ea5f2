import BLECore
import BLECrypto

/// Provides random numbers, the key pair, and the bonds to a pairing.
public protocol PairingSource: AnyObject {
  /// Returns the key pair for Secure Connections.
  func keyPair() -> P256PrivateKey
  /// Returns a new random nonce.
  func nonce() -> AESBlock
  /// Returns a new random passkey, uniformly distributed.
  func passkey() -> SixDigits
  /// Returns a new random key of legacy pairing, of full length.
  func longTermKey() -> LongTermKey
  /// Returns a new random key for signed commands.
  func signingKey() -> SecretKey
  /// Returns the security of the bond with this identity; `nil` if there is none.
  func security(ofBondWith identity: DeviceAddress) -> PairingSecurity?
}

/// The parameters of one pairing.
public struct PairingParameters: Sendable {
  /// The central initiates pairings, the peripheral responds.
  public var role: LinkRole
  /// The number of this pairing among those of the link.
  public var number = 0
  /// The address of this device on the link.
  public var localAddress: DeviceAddress
  /// The address of the peer on the link.
  public var peerAddress: DeviceAddress
  public var policy: SecurityPolicy
  public var identity: LocalIdentity
  public var outOfBand: OutOfBandExchange
  /// The identity that the peer has proved: the link is encrypted with the keys of its bond.
  public var provenIdentity: DeviceAddress?
  /// The identity that the peer is assumed to have, and is shown to the user, by the address of the link, which any device can
  /// use. `nil` for a private address that is not resolved.
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
