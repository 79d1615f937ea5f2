import BLECore
import BLECrypto

/// What one device hands to another by a way of its own for Secure Connections (Core, Vol 3 Part H 2.3.5.6.4).
public struct OutOfBandData: Sendable, Equatable {
  /// r, sixteen octets as a number.
  public let random: AESBlock
  /// C: commits to a public key.
  public let confirm: AESBlock

  public init(random: AESBlock, confirm: AESBlock) {
    self.random = random
    self.confirm = confirm
  }

  /// The data that go with a public key.
  public init(random: AESBlock, publicKey: P256PublicKey) {
    self.init(random: random, confirm: Self.confirm(random, publicKey))
  }

  /// Whether the other device's key is the one that was committed to.
  func commits(to publicKey: P256PublicKey) -> Bool {
    AESBlock.constantTimeEquals(confirm, Self.confirm(random, publicKey))
  }

  private static func confirm(_ random: AESBlock, _ publicKey: P256PublicKey) -> AESBlock {
    SecurityToolbox.f4(u: publicKey.x, v: publicKey.x, x: random, z: 0)
  }
}

/// What this device keeps of the data that it hands out: they are good for a pairing with this key pair only.
public struct LocalOutOfBandData: Sendable {
  public let keyPair: P256PrivateKey
  /// r, sixteen octets as a number.
  public let random: AESBlock

  public init(keyPair: P256PrivateKey, random: AESBlock) {
    self.keyPair = keyPair
    self.random = random
  }

  /// What the peer is to get.
  public var data: OutOfBandData { OutOfBandData(random: random, publicKey: keyPair.publicKey) }
}

/// What this device has got and given by another way before a pairing.
public struct OutOfBandExchange: Sendable {
  /// The temporary key of legacy pairing, known to both sides, sixteen octets.
  public var temporaryKey: SecretKey?
  /// What the peer gave, for Secure Connections.
  public var peer: OutOfBandData?
  /// What this device gave, for Secure Connections.
  public var local: LocalOutOfBandData?

  public init(temporaryKey: SecretKey? = nil, peer: OutOfBandData? = nil, local: LocalOutOfBandData? = nil) {
    self.temporaryKey = temporaryKey
    self.peer = peer
    self.local = local
  }
}

// The random parts are as good as passkeys: none of this is printed by accident.

extension OutOfBandData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension LocalOutOfBandData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
