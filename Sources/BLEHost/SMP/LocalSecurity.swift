import BLECore
import BLECrypto

/// Knows which keys are kept.
public protocol BondDirectory: AnyObject {
  /// How good the keys are that are kept of the device with this identity; `nil` where there are none.
  func security(ofBondWith identity: DeviceAddress) -> PairingSecurity?
}

/// What the security managers of all links of one adapter share. On the loop.
public final class LocalSecurity {
  /// Holds for pairings that begin from now on.
  public var policy: SecurityPolicy
  /// Who this device is from now on.
  public var identity: LocalIdentity
  /// Asked when a peer has said who it is.
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

  /// New data to hand to a peer by another way, with a key pair of their own.
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
    // Zeros name the keys of pairings under way and of Secure Connections.
    LongTermKey(
      key: .random(entropy), encryptedDiversifier: UInt16(truncatingIfNeeded: entropy.uniform(1..<0x1_0000)),
      randomNumber: entropy.uniform(1..<UInt64.max))
  }

  public func signingKey() -> SecretKey { .random(entropy) }

  public func security(ofBondWith identity: DeviceAddress) -> PairingSecurity? {
    bonds?.security(ofBondWith: identity)
  }
}
