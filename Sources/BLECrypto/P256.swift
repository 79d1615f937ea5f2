import BLECore
import CLibcrypto

/// A validated point on P-256: it lies on the curve, and is not infinity (Core, Vol 3 Part H 2.3.5.6.1).
public struct P256PublicKey: Hashable, Sendable {
  /// Thirty-two octets each, most significant first.
  public let x: [UInt8]
  public let y: [UInt8]

  /// `nil` if the coordinates are not a point of the curve: a computation with such a key would reveal a secret.
  public init?(x: some Collection<UInt8>, y: some Collection<UInt8>) {
    self.x = Array(x)
    self.y = Array(y)
    guard self.x.count == 32, self.y.count == 32, P256Curve.isOnCurve(x: self.x, y: self.y) else { return nil }
  }

  /// The coordinates as on the air, least significant octet first.
  public init?(leastSignificantFirstX x: some BidirectionalCollection<UInt8>, y: some BidirectionalCollection<UInt8>) {
    self.init(x: x.reversed(), y: y.reversed())
  }

  init(checkedX x: [UInt8], y: [UInt8]) {
    self.x = x
    self.y = y
  }

  /// Whether this is the key of the specification's debug mode, whose private key is public (Core, Vol 3 Part H 2.3.5.6.1), or
  /// the key with the negated y coordinate: the private key of one gives that of the other.
  public var isDebugKey: Bool { x == P256PrivateKey.debug.publicKey.x }
}

/// A private key on P-256.
public struct P256PrivateKey: Sendable {
  private let scalar: SecretKey
  public let publicKey: P256PublicKey

  /// Thirty-two octets, most significant first; `nil` if the number is zero or not below the order of the curve.
  public init?(scalar: SecretKey) {
    guard scalar.count == 32, let publicKey = P256Curve.publicKey(of: scalar) else { return nil }
    self.scalar = scalar
    self.publicKey = publicKey
  }

  /// A key pair from octets of `entropy`, most significant first.
  public static func random(_ entropy: any EntropySource) -> P256PrivateKey {
    while true {
      let octets = entropy.octets(32)
      if let key = P256PrivateKey(scalar: SecretKey(mostSignificantFirst: octets)) { return key }
    }
  }

  /// The specification's debug key.
  public static let debug: P256PrivateKey = {
    let octets: [UInt8] = [
      0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50,
      0x4A, 0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
    ]
    guard let key = P256PrivateKey(scalar: SecretKey(mostSignificantFirst: octets)) else {
      preconditionFailure("the debug key is a key")
    }
    return key
  }()

  /// The shared secret with the owner of `peer`: the x coordinate of thirty-two octets, the DHKey (Core, Vol 3 Part H 2.2.3).
  public func sharedSecret(with peer: P256PublicKey) -> SecretKey {
    P256Curve.sharedSecret(scalar, peer)
  }
}
