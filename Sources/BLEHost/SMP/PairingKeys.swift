import BLECore
import BLECrypto

/// A key that links are encrypted with, and what names it on the air.
public struct LongTermKey: Sendable, Equatable {
  /// Sixteen octets; those beyond the key size are zero.
  public let key: SecretKey
  /// Zero with Secure Connections.
  public let encryptedDiversifier: UInt16
  /// Zero with Secure Connections.
  public let randomNumber: UInt64

  public init(key: SecretKey, encryptedDiversifier: UInt16 = 0, randomNumber: UInt64 = 0) {
    self.key = key
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }

  /// The key cut to `size` octets: the most significant others are zero (Core, Vol 3 Part H 2.3.4).
  static func shortened(_ key: SecretKey, toSize size: Int) -> SecretKey {
    let cut = AESBlock.octetCount - size
    if cut <= 0 { return key }
    return key.withOctets { octets in
      SecretKey(mostSignificantFirst: octets.enumerated().lazy.map { $0.offset < cut ? 0 : $0.element })
    }
  }
}

/// Who this device is, to those it has paired with.
public struct LocalIdentity: Sendable {
  /// Public, or random static.
  public let address: DeviceAddress
  /// Resolves this device's private addresses.
  public let identityResolvingKey: SecretKey

  public init(address: DeviceAddress, identityResolvingKey: SecretKey) {
    self.address = address
    self.identityResolvingKey = identityResolvingKey
  }
}

/// What a pairing leads to. Holds secrets: the keys in it print as nothing.
public struct PairingResult: Sendable {
  public let security: PairingSecurity
  /// Both sides keep the keys.
  public let isBonded: Bool
  /// What names the peer for good: what it said it is, or the address it was connected by. `nil` where that was a private
  /// one and the peer did not say.
  public let peerIdentity: DeviceAddress?
  /// Encrypts links on which this device is the central.
  public let keyAsCentral: LongTermKey?
  /// Encrypts links on which this device is the peripheral.
  public let keyAsPeripheral: LongTermKey?
  /// Resolves the peer's private addresses. `nil` where it handed out none, one of zeros, or
  /// this device's own: those resolve nothing.
  public let peerIdentityResolvingKey: SecretKey?
  /// Signs what this device sends.
  public let localSigningKey: SecretKey?
  /// Checks what the peer signed.
  public let peerSigningKey: SecretKey?

  public init(
    security: PairingSecurity, isBonded: Bool, peerIdentity: DeviceAddress?, keyAsCentral: LongTermKey?,
    keyAsPeripheral: LongTermKey?, peerIdentityResolvingKey: SecretKey? = nil, localSigningKey: SecretKey? = nil,
    peerSigningKey: SecretKey? = nil
  ) {
    self.security = security
    self.isBonded = isBonded
    self.peerIdentity = peerIdentity
    self.keyAsCentral = keyAsCentral
    self.keyAsPeripheral = keyAsPeripheral
    self.peerIdentityResolvingKey = peerIdentityResolvingKey
    self.localSigningKey = localSigningKey
    self.peerSigningKey = peerSigningKey
  }
}

/// What a pairing computes on its way.
package struct PairingSecrets {
  /// TK of legacy pairing.
  package let temporaryKey: SecretKey?
  package let dhKey: SecretKey?
  package let macKey: SecretKey?
  /// STK or LTK.
  package let linkKey: SecretKey?
}
