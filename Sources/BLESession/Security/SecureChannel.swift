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
        secret: secret, salt: keys, info: Data("swift-corebluetooth secure channel 1 \(what)".utf8), count: count)
    }
    let begun = try derive("beginner", 32)
    let answered = try derive("answerer", 32)
    sendingKey = side == .beginner ? begun : answered
    receivingKey = side == .beginner ? answered : begun
    let code = (UInt64(octets: try derive("verification", 8), order: .bigEndian) ?? 0) % 1_000_000
    verificationCode = String(repeating: "0", count: 6 - String(code).count) + String(code)
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

/// An agreement on keys as the first step of a session: its channel is there when the session goes on.
///
/// Each side says `01` and its public key. As `Sendable` box it hands the channel to whoever seals and opens values afterwards.
public final class SecureChannelAgreement: Sendable {
  private struct State {
    var own: (any AgreementKey)?
    var channel: SecureChannel?
  }

  /// The first octet of each side's word.
  static let tag: UInt8 = 0x01

  private let cryptography: any SessionCryptography
  private let state = Guarded(State())

  /// An agreement that has not begun.
  public init(cryptography: any SessionCryptography) { self.cryptography = cryptography }

  /// Six digits to be compared by the people on both sides; `nil` before there is an agreement.
  public var verificationCode: String? { state.with { $0.channel?.verificationCode } }

  /// What the side that begins says.
  public func begin() throws(CryptographyError) -> Data {
    let own = try cryptography.makeAgreementKey()
    state.with { $0 = State(own: own) }
    return Data([Self.tag]) + own.publicKey
  }

  /// The side that began takes the answer.
  public func complete(_ answer: Data) throws(CryptographyError) {
    guard let own = state.with({ $0.own }), let peer = Self.publicKey(in: answer) else { throw .publicKey }
    let channel = try SecureChannel(cryptography: cryptography, side: .beginner, own: own, peer: peer)
    state.with { $0 = State(channel: channel) }
  }

  /// The other side takes the beginning and gives what it says to it.
  public func answer(_ beginning: Data) throws(CryptographyError) -> Data {
    guard let peer = Self.publicKey(in: beginning) else { throw .publicKey }
    let own = try cryptography.makeAgreementKey()
    let channel = try SecureChannel(cryptography: cryptography, side: .answerer, own: own, peer: peer)
    state.with { $0 = State(channel: channel) }
    return Data([Self.tag]) + own.publicKey
  }

  /// Encrypts a content for the other side.
  public func seal(_ content: Data) throws -> Data {
    try state.with { state in
      guard state.channel != nil else { throw CryptographyError.publicKey }
      return try state.channel?.seal(content) ?? Data()
    }
  }

  /// Decrypts a value of the other side.
  public func open(_ value: Data) throws -> Data {
    try state.with { state in
      guard state.channel != nil else { throw CryptographyError.publicKey }
      return try state.channel?.open(value) ?? Data()
    }
  }

  private static func publicKey(in word: Data) -> Data? {
    word.count == 33 && word.first == tag ? Data(word.dropFirst()) : nil
  }

  /// The agreement as a step of a session that begins it.
  public func openingStep(
    commandPath: CharacteristicPath, answerPath: CharacteristicPath, timeLimit: Duration = .seconds(3)
  ) -> OpeningStep {
    OpeningStep(commandPath: commandPath, answerPath: answerPath, timeLimit: timeLimit, retries: 0) {
      AgreementDialogue(agreement: self)
    }
  }

  /// What seals and opens values between an application and the air, once there is an agreement.
  public func codec() -> any ValueCodec { AgreementCodec(agreement: self) }
}

private struct AgreementDialogue: OpeningDialogue {
  let agreement: SecureChannelAgreement

  func begin() -> OpeningMove {
    do { return .say(try agreement.begin()) } catch { return .refused(error.localizedDescription) }
  }

  func received(_ value: Data) -> OpeningMove {
    do {
      try agreement.complete(value)
      return .done
    } catch { return .refused(error.localizedDescription) }
  }
}

private struct AgreementCodec: ValueCodec {
  let agreement: SecureChannelAgreement
  func encode(_ content: Data) throws -> Data { try agreement.seal(content) }
  func decode(_ value: Data) throws -> [Data] { [try agreement.open(value)] }
}
