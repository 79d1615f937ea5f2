import CoreBluetooth

/// Both sides agree on keys over the characteristic itself; then every value is encrypted, authenticated and numbered.
///
/// The agreement is X25519, the keys come from HKDF-SHA-256 over both public keys, values are sealed by AES-256-GCM. A value on the air is
/// its number (8 octets, most significant first), the sealed octets and a tag of 16. Whoever sits in between from the beginning is
/// found out by ``SecureChannel/verificationCode``, which both people compare.
public struct SecureChannel: Sendable {
  /// Who speaks: the side that began, or the one that answered.
  public enum Side: Sendable, Hashable {
    /// The side that spoke first.
    case beginner
    /// The other one.
    case answerer
  }

  /// Octets that a sealed value has more than its content.
  public static let overhead = 8 + 16

  /// Six digits that are the same on both sides, unless somebody sits in between.
  public let verificationCode: String
  /// What both sides call these keys; never 0. It says nothing about them.
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

  /// What goes on the air for `content`.
  public mutating func seal(_ content: Data) throws(CryptographyError) -> Data {
    guard nextNumber < .max else { throw .library }
    let number = nextNumber.octets(order: .bigEndian)
    nextNumber += 1
    return number
      + (try cryptography.seal(content, key: sendingKey, nonce: Data(count: 4) + number, authenticating: number))
  }

  /// What was sealed by the other side.
  /// - Throws: `notAuthentic` for what was changed, `replayed` for what came before or is too old to tell.
  public mutating func open(_ value: Data) throws(CryptographyError) -> Data {
    let number = Data(value.prefix(8))
    guard value.count >= Self.overhead, let position = UInt64(octets: number, order: .bigEndian) else {
      throw .notAuthentic
    }
    guard window.isNew(position) else { throw .replayed }
    let content = try cryptography.open(
      Data(value.dropFirst(8)), key: receivingKey, nonce: Data(count: 4) + number, authenticating: number)
    // Only what is authentic moves the window.
    window.accept(position)
    return content
  }
}

/// Remembers the last 64 numbers: each is taken once, older ones never.
struct ReplayWindow: Sendable {
  private var newest: UInt64?
  /// Bit n stands for `newest` - n.
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
