import CoreBluetooth

/// What sessions need of cryptography. `BLESessionCryptography` has it from the system's library: CryptoKit and CommonCrypto on Apple's
/// systems, libcrypto on Linux.
public protocol SessionCryptography: Sendable {
  /// Octets that nobody can guess.
  func randomOctets(_ count: Int) -> Data

  /// AES-128 in one of the modes that vendors use, without padding.
  /// - Throws: `CryptographyError.length` where key, initial value or data have lengths that the mode does not take.
  func aes(_ mode: AESMode, _ direction: CipherDirection, key: Data, _ data: Data) throws(CryptographyError) -> Data

  /// A new key pair for one agreement.
  func makeAgreementKey() throws(CryptographyError) -> any AgreementKey

  /// HKDF with SHA-256 (RFC 5869): `count` octets, at most 8,160.
  func deriveKey(secret: Data, salt: Data, info: Data, count: Int) throws(CryptographyError) -> Data

  /// AES-256-GCM: `data` and a tag of 16 octets behind it. Key 32 octets, nonce 12.
  func seal(_ data: Data, key: Data, nonce: Data, authenticating: Data) throws(CryptographyError) -> Data

  /// Opens what `seal` made.
  /// - Throws: `CryptographyError.notAuthentic` for anything that was changed.
  func open(_ sealed: Data, key: Data, nonce: Data, authenticating: Data) throws(CryptographyError) -> Data
}

/// Modes of AES-128.
public enum AESMode: Sendable, Hashable {
  /// Each block of 16 octets for itself: equal blocks look equal.
  case electronicCodebook
  /// Each block depends on the one before. `initial`: 16 octets.
  case blockChaining(initial: Data)
  /// A stream of any length. `initial`: 16 octets.
  case counter(initial: Data)
  /// A stream that is authenticated (RFC 3610): a tag of `tagLength` octets stands behind the data. `nonce`: 7 to 13 octets.
  case counterWithChecksum(nonce: Data, authenticating: Data = Data(), tagLength: Int = 4)
}

/// Which way a cipher goes.
public enum CipherDirection: Sendable, Hashable {
  /// From content to value.
  case encrypt
  /// From value to content.
  case decrypt
}

/// One side of an agreement on a secret (X25519, RFC 7748).
public protocol AgreementKey: Sendable {
  /// 32 octets for the other side.
  var publicKey: Data { get }
  /// The secret that both sides arrive at: 32 octets.
  /// - Throws: `CryptographyError.publicKey` where the other side's key is none, or gives nothing that is secret.
  func agree(with publicKey: Data) throws(CryptographyError) -> Data
}

/// Why cryptography could not be done. It never says more than an attacker may know.
public enum CryptographyError: Error, Sendable, Hashable {
  /// A key, a nonce or a content of a length that the cipher does not have.
  case length
  /// A public key that is none.
  case publicKey
  /// Changed, or sealed with another key.
  case notAuthentic
  /// The same octets came before.
  case replayed
  /// Something was said at a moment at which it does not belong there, or there are no keys yet.
  case outOfTurn
  /// Another public key than the one that the other side had bound itself to.
  case notAsAnnounced
  /// Too many agreements came to nothing: the next one has to wait (``AgreementLimit``).
  case tooManyAttempts
  /// The other side speaks another version of the agreement.
  case version
  /// The library failed.
  case library
}

extension CryptographyError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .length: "a key, an initial value or the data has a length that the cipher does not take"
    case .publicKey: "the other side's key cannot be used"
    case .notAuthentic: "the octets were changed, or sealed with another key"
    case .replayed: "the octets came before"
    case .outOfTurn: "the other side said something that does not belong there"
    case .notAsAnnounced: "the other side's key is not the one that it had announced: somebody may be trying out keys"
    case .tooManyAttempts: "too many agreements on keys were broken off: the next one is possible within a minute"
    case .version: "the other side speaks another version of the agreement on keys: update the older one"
    case .library: "the cryptographic library failed"
    }
  }
}
