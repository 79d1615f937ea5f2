import BLECore
import BLECrypto

/// The bonds that are stored.
public protocol BondDirectory: AnyObject {
  /// Returns the security of the bond with this identity; `nil` if there is none.
  func security(ofBondWith identity: DeviceAddress) -> PairingSecurity?
}

/// The state that the security managers of all links of one adapter share. On the loop.
public final class LocalSecurity {
  /// Applies to pairings that begin from now on.
  public var policy: SecurityPolicy
  /// The identity that this device distributes from now on.
  public var identity: LocalIdentity
  /// Used to check whether a pairing would replace a bond.
  public weak var bonds: (any BondDirectory)?
  public let attempts = PairingAttempts()
  public let keys: EphemeralKeys
  private let entropy: any EntropySource

  public init(
    policy: SecurityPolicy, identity: LocalIdentity, entropy: any EntropySource,
    renewal: EphemeralKeys.Renewal = .eachPairing
  ) {
    self.policy = policy
    self.identity = identity
    self.entropy = entropy
    keys = EphemeralKeys(entropy: entropy, renewal: renewal)
  }

  /// Returns new out-of-band data for a peer, with its own key pair.
  public func makeOutOfBandData() -> LocalOutOfBandData {
    LocalOutOfBandData(keyPair: .random(entropy), random: nonce())
  }
}

extension LocalSecurity: PairingSource {
  public func keyPair() -> P256PrivateKey { keys.current() }

  public func nonce() -> AESBlock { AESBlock(high: entropy.next(), low: entropy.next()) }

  public func passkey() -> SixDigits {
    SixDigits(lowest: UInt32(truncatingIfNeeded: entropy.uniform(0..<UInt64(SixDigits.count))))
  }

  public func longTermKey() -> LongTermKey {
    // Zero is reserved for the keys of Secure Connections and of a pairing in progress.
    LongTermKey(
      key: .random(entropy), encryptedDiversifier: UInt16(truncatingIfNeeded: entropy.uniform(1..<0x1_0000)),
      randomNumber: entropy.uniform(1..<UInt64.max))
  }

  public func signingKey() -> SecretKey { .random(entropy) }

  public func security(ofBondWith identity: DeviceAddress) -> PairingSecurity? {
    bonds?.security(ofBondWith: identity)
  }
}
