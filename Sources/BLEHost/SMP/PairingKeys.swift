import BLECore
import BLECrypto

/// A key for encrypting links, and the values that identify it on the air.
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

  /// Returns the key shortened to `size` octets: the other, most significant ones are zero (Core, Vol 3 Part H 2.3.4).
  static func shortened(_ key: SecretKey, toSize size: Int) -> SecretKey {
    let cut = AESBlock.octetCount - size
    if cut <= 0 { return key }
    return key.withOctets { octets in
      SecretKey(mostSignificantFirst: octets.enumerated().lazy.map { $0.offset < cut ? 0 : $0.element })
    }
  }
}

/// The identity of this device, which it distributes in pairings.
public struct LocalIdentity: Sendable {
  /// The identity address: public, or random static.
  public let address: DeviceAddress
  /// Resolves this device's private addresses.
  public let identityResolvingKey: SecretKey

  public init(address: DeviceAddress, identityResolvingKey: SecretKey) {
    self.address = address
    self.identityResolvingKey = identityResolvingKey
  }
}

/// The result of a pairing. Contains secret keys, whose descriptions are redacted.
public struct PairingResult: Sendable {
  public let security: PairingSecurity
  /// Whether both sides store the keys.
  public let isBonded: Bool
  /// The peer's identity address: distributed by it, or the address of the link. `nil` if that was a private one and the peer
  /// distributed none.
  public let peerIdentity: DeviceAddress?
  /// Encrypts links on which this device is the central.
  public let keyAsCentral: LongTermKey?
  /// Encrypts links on which this device is the peripheral.
  public let keyAsPeripheral: LongTermKey?
  /// Resolves the peer's private addresses. `nil` if it distributed none, one of zeros, or this device's own.
  public let peerIdentityResolvingKey: SecretKey?
  /// Signs commands of this device.
  public let localSigningKey: SecretKey?
  /// Verifies signed commands of the peer.
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

/// The secrets that a pairing computes.
package struct PairingSecrets {
  /// TK of legacy pairing.
  package let temporaryKey: SecretKey?
  package let dhKey: SecretKey?
  package let macKey: SecretKey?
  /// STK or LTK.
  package let linkKey: SecretKey?
}
