import CoreBluetooth

/// A channel on a characteristic with keys of its own: every value is encrypted, authenticated and numbered.
///
/// The agreement is X25519, the keys are derived by HKDF-SHA-256 from both public keys, values are sealed by AES-256-GCM. A sealed value is
/// its number (8 octets, most significant first), the ciphertext and a tag of 16 octets. A man in the middle of the agreement is detected
/// by ``SecureChannel/verificationCode``, which the users of both sides compare.
public struct SecureChannel: Sendable {
  /// The role in the agreement.
  public enum Side: Sendable, Hashable {
    /// The side that sent the first message.
    case beginner
    /// The other side.
    case answerer
  }

  /// The octets that sealing adds to a content.
  public static let overhead = 8 + 16

  /// Six digits that are the same on both sides, unless there is a man in the middle.
  public let verificationCode: String
  /// A number for these keys that is the same on both sides; never 0. It reveals nothing about them.
  package let identifier: UInt64

  private let cryptography: any SessionCryptography
  private let sendingKey: Data
  private let receivingKey: Data
  private var nextNumber: UInt64 = 0
  private var window = ReplayWindow()

  init(
    cryptography: any SessionCryptography, side: Side, own: any AgreementKey, peer: Data
  ) throws(CryptographyError) {
    let secret = try own.agree(with: peer)
    let keys = side == .beginner ? own.publicKey + peer : peer + own.publicKey
    func derive(_ what: String, _ count: Int) throws(CryptographyError) -> Data {
      try cryptography.deriveKey(
        secret: secret, salt: keys, info: Data("swift-corebluetooth secure channel 2 \(what)".utf8), count: count)
    }
    let begun = try derive("beginner", 32)
    let answered = try derive("answerer", 32)
    sendingKey = side == .beginner ? begun : answered
    receivingKey = side == .beginner ? answered : begun
    let code = (UInt64(octets: try derive("verification", 8), order: .bigEndian) ?? 0) % 1_000_000
    verificationCode = String(repeating: "0", count: 6 - String(code).count) + String(code)
    identifier = max(1, UInt64(octets: try derive("identifier", 8), order: .bigEndian) ?? 1)
    self.cryptography = cryptography
  }

  /// Returns the sealed value of `content`.
  public mutating func seal(_ content: Data) throws(CryptographyError) -> Data {
    guard nextNumber < .max else { throw .library }
    let number = nextNumber.octets(order: .bigEndian)
    nextNumber += 1
    return number
      + (try cryptography.seal(content, key: sendingKey, nonce: Data(count: 4) + number, authenticating: number))
  }

  /// Returns the content that the other side has sealed.
  /// - Throws: `notAuthentic` for a changed value, `replayed` for one that was received before or is too old to decide that.
  public mutating func open(_ value: Data) throws(CryptographyError) -> Data {
    let number = Data(value.prefix(8))
    guard value.count >= Self.overhead, let position = UInt64(octets: number, order: .bigEndian) else {
      throw .notAuthentic
    }
    guard window.isNew(position) else { throw .replayed }
    let content = try cryptography.open(
      Data(value.dropFirst(8)), key: receivingKey, nonce: Data(count: 4) + number, authenticating: number)
    // Only authentic values move the window.
    window.accept(position)
    return content
  }
}

/// Remembers which of the last 64 numbers were received: each is accepted once, older ones never.
struct ReplayWindow: Sendable {
  private var newest: UInt64?
  /// Bit n is set if `newest` - n was received.
  private var seen: UInt64 = 0

  func isNew(_ number: UInt64) -> Bool {
    guard let newest, number <= newest else { return true }
    let age = newest - number
    return age < 64 && seen & (1 << age) == 0
  }

  mutating func accept(_ number: UInt64) {
    guard let newest else {
      self.newest = number
      seen = 1
      return
    }
    if number > newest {
      let step = number - newest
      seen = step < 64 ? seen << step | 1 : 1
      self.newest = number
    } else {
      seen |= 1 << (newest - number)
    }
  }
}
