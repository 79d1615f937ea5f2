import CoreBluetooth

/// An agreement on keys as the first step of a session: its channel is there when the session goes on.
///
/// Version 2. Each word begins with an octet that says which one it is:
///
/// | word | who says it | behind the octet |
/// |---|---|---|
/// | `02` | the side that begins | the commitment to its public key: 32 octets |
/// | `03` | the other side | its public key: 32 octets |
/// | `04` | the side that begins | its public key, 32 octets, and a sealed value without content, 24 octets |
/// | `05` | the other side | a sealed value without content: 24 octets |
///
/// The commitment is HKDF-SHA-256 of the public key, without salt, with `swift-corebluetooth agreement 2 commitment` as info. Each side is
/// bound to its key before it sees the other's: somebody in between cannot choose keys until the six digits fit, and has one try for each
/// agreement. The sealed values show that both sides have the keys. Agreements that end before that are counted and slowed
/// (``AgreementLimit``).
///
/// In version 1 each side said `01` and its public key, without a commitment, and the digits could be found by trying keys. Such a word
/// is refused with ``CryptographyError/version``; a program answers the write with an error then, and the older side's session fails
/// with that error instead of waiting.
///
/// The side that begins uses ``openingStep(commandPath:answerPath:timeLimit:)``. The other side gives each word that is written to it to
/// ``answer(_:)``, notifies what that returns, and answers the write with an error where it throws.
public final class SecureChannelAgreement: Sendable {
  private struct State {
    var agreement: KeyAgreement?
    /// Agreed on, but the other side has not shown that it has the keys.
    var unconfirmed: SecureChannel?
    var channel: SecureChannel?
  }

  /// The first octet of each word.
  private enum Word {
    static let firstVersion: UInt8 = 0x01
    static let commitment: UInt8 = 0x02
    static let answer: UInt8 = 0x03
    static let key: UInt8 = 0x04
    static let confirmation: UInt8 = 0x05
  }

  private let cryptography: any SessionCryptography
  private let limit: AgreementLimit
  private let state = Guarded(State())

  /// An agreement that has not begun.
  /// - Parameters:
  ///   - cryptography: what computes keys, hashes and ciphers.
  ///   - limit: how fast agreements that come to nothing may follow one another; the same for all of a process in most programs.
  public init(cryptography: any SessionCryptography, limit: AgreementLimit = .shared) {
    self.cryptography = cryptography
    self.limit = limit
  }

  /// Six digits to be compared by the people on both sides; `nil` before there is an agreement.
  public var verificationCode: String? { state.with { $0.channel?.verificationCode } }

  /// What the side that begins says first. What was agreed on before is given up.
  public func begin() throws(CryptographyError) -> Data {
    let agreement = try KeyAgreement(.beginner, with: cryptography, limit: limit)
    let word = Data([Word.commitment]) + (try agreement.commitment())
    state.with { $0 = State(agreement: agreement) }
    return word
  }

  /// The side that began takes an answer, and gives what it says next; `nil` when there is an agreement.
  /// - Throws: `publicKey` and `outOfTurn` for what is no answer, `notAuthentic` where the other side does not have the keys,
  ///   `tooManyAttempts`, `version`. The agreement has to begin again then.
  public func proceed(_ answer: Data) throws(CryptographyError) -> Data? {
    try change { (state) throws(CryptographyError) in
      let content = Data(answer.dropFirst())
      if state.unconfirmed == nil {
        guard var agreement = state.agreement else { throw .outOfTurn }
        state.agreement = nil
        try Self.expect(Word.answer, answer, 32)
        let agreed = try agreement.take(key: content)
        guard let key = agreed.answer else { throw .outOfTurn }
        var channel = agreed.channel
        let word = Data([Word.key]) + key + (try channel.seal(Data()))
        state.unconfirmed = channel
        return word
      }
      try Self.expect(Word.confirmation, answer, SecureChannel.overhead)
      try confirm(&state, by: content)
      return nil
    }
  }

  /// The other side takes a word of the side that begins, and gives the answer to it. With its first word everything begins again.
  /// - Throws: `publicKey` and `outOfTurn` for what is no such word, `notAsAnnounced` for another key than the one that was bound to,
  ///   `notAuthentic` where the other side does not have the keys, `tooManyAttempts`, `version`.
  public func answer(_ word: Data) throws(CryptographyError) -> Data {
    try change { (state) throws(CryptographyError) in
      if word.first == Word.commitment {
        state = State()
        try Self.expect(Word.commitment, word, 32)
        var agreement = try KeyAgreement(.answerer, with: cryptography, limit: limit)
        let key = try agreement.take(commitment: Data(word.dropFirst()))
        state.agreement = agreement
        return Data([Word.answer]) + key
      }
      guard var agreement = state.agreement else {
        throw word.first == Word.firstVersion ? .version : .outOfTurn
      }
      state.agreement = nil
      try Self.expect(Word.key, word, 32 + SecureChannel.overhead)
      state.unconfirmed = try agreement.take(key: Data(word.dropFirst().prefix(32))).channel
      try confirm(&state, by: Data(word.dropFirst(33)))
      guard let confirmation = try state.channel?.seal(Data()) else { throw .outOfTurn }
      return Data([Word.confirmation]) + confirmation
    }
  }

  private static func expect(_ kind: UInt8, _ word: Data, _ count: Int) throws(CryptographyError) {
    guard word.first != Word.firstVersion else { throw .version }
    guard word.first == kind else { throw .outOfTurn }
    guard word.count == 1 + count else { throw .publicKey }
  }

  private func confirm(_ state: inout State, by sealed: Data) throws(CryptographyError) {
    guard var channel = state.unconfirmed else { throw .outOfTurn }
    state.unconfirmed = nil
    guard try channel.open(sealed).isEmpty else { throw .notAuthentic }
    state.channel = channel
    limit.confirm()
  }

  /// Changes the state under its lock. `Guarded` knows no typed errors.
  private func change<Outcome>(
    _ body: (inout State) throws(CryptographyError) -> Outcome
  ) throws(CryptographyError) -> Outcome {
    try state.with { (state) -> Result<Outcome, CryptographyError> in
      do throws(CryptographyError) { return .success(try body(&state)) } catch { return .failure(error) }
    }.get()
  }

  /// Encrypts a content for the other side.
  public func seal(_ content: Data) throws -> Data {
    try change { (state) throws(CryptographyError) in
      guard let sealed = try state.channel?.seal(content) else { throw .outOfTurn }
      return sealed
    }
  }

  /// Decrypts a value of the other side.
  public func open(_ value: Data) throws -> Data {
    try change { (state) throws(CryptographyError) in
      guard let content = try state.channel?.open(value) else { throw .outOfTurn }
      return content
    }
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
      return try agreement.proceed(value).map { .say($0) } ?? .done
    } catch { return .refused(error.localizedDescription) }
  }
}

private struct AgreementCodec: ValueCodec {
  let agreement: SecureChannelAgreement
  func encode(_ content: Data) throws -> Data { try agreement.seal(content) }
  func decode(_ value: Data) throws -> [Data] { [try agreement.open(value)] }
}
