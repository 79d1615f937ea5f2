import BLECore
import BLECrypto

/// The out-of-band data of one device for Secure Connections (Core, Vol 3 Part H 2.3.5.6.4).
public struct OutOfBandData: Sendable, Equatable {
  /// r, sixteen octets as a number.
  public let random: AESBlock
  /// C: the commitment to a public key.
  public let confirm: AESBlock

  public init(random: AESBlock, confirm: AESBlock) {
    self.random = random
    self.confirm = confirm
  }

  /// The data for a public key.
  public init(random: AESBlock, publicKey: P256PublicKey) {
    self.init(random: random, confirm: Self.confirm(random, publicKey))
  }

  /// Whether this data commits to `publicKey`.
  func commits(to publicKey: P256PublicKey) -> Bool {
    AESBlock.constantTimeEquals(confirm, Self.confirm(random, publicKey))
  }

  private static func confirm(_ random: AESBlock, _ publicKey: P256PublicKey) -> AESBlock {
    SecurityToolbox.f4(u: publicKey.x, v: publicKey.x, x: random, z: 0)
  }
}

/// The secret part of the out-of-band data that this device hands out. The data is valid only for pairings with this key pair.
public struct LocalOutOfBandData: Sendable {
  public let keyPair: P256PrivateKey
  /// r, sixteen octets as a number.
  public let random: AESBlock

  public init(keyPair: P256PrivateKey, random: AESBlock) {
    self.keyPair = keyPair
    self.random = random
  }

  /// The data for the peer.
  public var data: OutOfBandData { OutOfBandData(random: random, publicKey: keyPair.publicKey) }
}

/// The data exchanged out of band before a pairing.
public struct OutOfBandExchange: Sendable {
  /// The temporary key of legacy pairing, known to both sides, sixteen octets.
  public var temporaryKey: SecretKey?
  /// The data received from the peer, for Secure Connections.
  public var peer: OutOfBandData?
  /// The data handed to the peer, for Secure Connections.
  public var local: LocalOutOfBandData?

  public init(temporaryKey: SecretKey? = nil, peer: OutOfBandData? = nil, local: LocalOutOfBandData? = nil) {
    self.temporaryKey = temporaryKey
    self.peer = peer
    self.local = local
  }
}

// The random values are secret like passkeys, so descriptions are redacted.
extension OutOfBandData: Redacted {}
extension LocalOutOfBandData: Redacted {}
