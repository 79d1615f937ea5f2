import CoreBluetooth

/// The cryptography that sessions need. `BLESessionCryptography` implements it with the system's libraries: CryptoKit and CommonCrypto on
/// Apple's systems, libcrypto on Linux.
public protocol SessionCryptography: Sendable {
  /// Returns cryptographically secure random octets.
  func randomOctets(_ count: Int) -> Data

  /// Encrypts or decrypts with AES-128, without padding.
  /// - Throws: `CryptographyError.length` if key, initial value or data have a length that the mode does not accept.
  func aes(_ mode: AESMode, _ direction: CipherDirection, key: Data, _ data: Data) throws(CryptographyError) -> Data

  /// Creates a key pair for one agreement.
  func makeAgreementKey() throws(CryptographyError) -> any AgreementKey

  /// Derives a key by HKDF with SHA-256 (RFC 5869): `count` octets, at most 8,160.
  func deriveKey(secret: Data, salt: Data, info: Data, count: Int) throws(CryptographyError) -> Data

  /// Encrypts with AES-256-GCM; returns the ciphertext followed by a tag of 16 octets. The key has 32 octets, the nonce 12.
  func seal(_ data: Data, key: Data, nonce: Data, authenticating: Data) throws(CryptographyError) -> Data

  /// Decrypts the result of `seal`.
  /// - Throws: `CryptographyError.notAuthentic` if anything was changed.
  func open(_ sealed: Data, key: Data, nonce: Data, authenticating: Data) throws(CryptographyError) -> Data
}

/// Modes of AES-128.
public enum AESMode: Sendable, Hashable {
  /// Electronic codebook (ECB): each block of 16 octets is encrypted separately, so equal blocks are visible.
  case electronicCodebook
  /// Cipher block chaining (CBC). `initial`: the initialization vector of 16 octets.
  case blockChaining(initial: Data)
  /// Counter mode (CTR), for any length. `initial`: the initial counter block of 16 octets.
  case counter(initial: Data)
  /// CCM (RFC 3610): authenticated encryption; a tag of `tagLength` octets follows the data. `nonce`: 7 to 13 octets.
  case counterWithChecksum(nonce: Data, authenticating: Data = Data(), tagLength: Int = 4)
}

/// The direction of a cipher.
public enum CipherDirection: Sendable, Hashable {
  /// From plaintext to ciphertext.
  case encrypt
  /// From ciphertext to plaintext.
  case decrypt
}

/// A key pair for the agreement on a secret (X25519, RFC 7748).
public protocol AgreementKey: Sendable {
  /// The public key for the other side: 32 octets.
  var publicKey: Data { get }
  /// Returns the shared secret: 32 octets.
  /// - Throws: `CryptographyError.publicKey` if the other side's key is invalid or yields no secret.
  func agree(with publicKey: Data) throws(CryptographyError) -> Data
}

/// Why a cryptographic operation failed. It never reveals more than an attacker may know.
public enum CryptographyError: Error, Sendable, Hashable {
  /// A key, nonce or content has a length that the cipher does not accept.
  case length
  /// A public key is invalid.
  case publicKey
  /// The data was changed, or sealed with another key.
  case notAuthentic
  /// The same value was received before.
  case replayed
  /// A message was received out of order, or there are no keys yet.
  case outOfTurn
  /// The public key is not the one that the other side has committed to.
  case notAsAnnounced
  /// Too many agreements were aborted: the next one has to wait (``AgreementLimit``).
  case tooManyAttempts
  /// The other side uses another version of the agreement.
  case version
  /// The cryptographic library failed.
  case library
}

extension CryptographyError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .length: "a key, an initial value or the data has a length that the cipher does not take"
    case .publicKey: "the other side's key cannot be used"
    case .notAuthentic: "the octets were changed, or sealed with another key"
    case .replayed: "the octets were received before"
    case .outOfTurn: "the other side sent a message out of order"
    case .notAsAnnounced: "the other side's key is not the one it had committed to: an attacker may be trying keys"
    case .tooManyAttempts: "too many key agreements were aborted: the next one is possible within a minute"
    case .version: "the other side uses another version of the key agreement: update the older side"
    case .library: "the cryptographic library failed"
    }
  }
}
