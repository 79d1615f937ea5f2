import CoreBluetooth

/// A key agreement as the first step of a session, which provides the session's secure channel.
///
/// Version 2. The first octet of each message is its type:
///
/// | type | sender | after the type |
/// |---|---|---|
/// | `02` | the side that begins | the commitment to its public key: 32 octets |
/// | `03` | the other side | its public key: 32 octets |
/// | `04` | the side that begins | its public key, 32 octets, and a sealed value without content, 24 octets |
/// | `05` | the other side | a sealed value without content: 24 octets |
///
/// The commitment is HKDF-SHA-256 of the public key, without salt, with `swift-corebluetooth agreement 2 commitment` as info. Each side is
/// committed to its key before it sees the other's: a man in the middle cannot choose keys until the six digits match, and has one try per
/// agreement. The sealed values show that both sides have the keys. Agreements that end before that are counted and limited
/// (``AgreementLimit``).
///
/// In version 1 each side sent `01` and its public key, without a commitment, so that matching digits could be found by trying keys. Such
/// a message is refused with ``CryptographyError/version``; the program then answers the write with an error, and the older side's session
/// fails with that error instead of waiting.
///
/// The side that begins uses ``openingStep(commandPath:answerPath:timeLimit:)``. The other side passes each message that is written to it
/// to ``answer(_:)``, notifies the result, and answers the write with an error if it throws.
public final class SecureChannelAgreement: Sendable {
  private struct State {
    var agreement: KeyAgreement?
    /// The keys are agreed on, but the other side has not shown that it has them.
    var unconfirmed: SecureChannel?
    var channel: SecureChannel?
  }

  /// The first octet of a message.
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

  /// Creates an agreement that has not begun.
  /// - Parameters:
  ///   - cryptography: the implementation of keys, hashes and ciphers.
  ///   - limit: the limit for agreements that do not complete; most programs use one for the whole process.
  public init(cryptography: any SessionCryptography, limit: AgreementLimit = .shared) {
    self.cryptography = cryptography
    self.limit = limit
  }

  /// Six digits that the users of both sides compare; `nil` before the agreement is complete.
  public var verificationCode: String? { state.with { $0.channel?.verificationCode } }

  /// Returns the first message of the side that begins. An earlier agreement is discarded.
  public func begin() throws(CryptographyError) -> Data {
    let agreement = try KeyAgreement(.beginner, with: cryptography, limit: limit)
    let word = Data([Word.commitment]) + (try agreement.commitment())
    state.with { $0 = State(agreement: agreement) }
    return word
  }

  /// Processes an answer at the side that began, and returns its next message; `nil` when the agreement is complete.
  /// - Throws: `publicKey` and `outOfTurn` for an invalid answer, `notAuthentic` if the other side does not have the keys,
  ///   `tooManyAttempts`, `version`. After an error the agreement has to begin again.
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

  /// Processes a message of the side that begins, and returns the answer. Its first message starts a new agreement.
  /// - Throws: `publicKey` and `outOfTurn` for an invalid message, `notAsAnnounced` for a key that does not match the commitment,
  ///   `notAuthentic` if the other side does not have the keys, `tooManyAttempts`, `version`.
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

  /// Changes the state under its lock. `Guarded.with` has no typed errors.
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

  /// Returns the agreement as an opening step of the session that begins it.
  public func openingStep(
    commandPath: CharacteristicPath, answerPath: CharacteristicPath, timeLimit: Duration = .seconds(3)
  ) -> OpeningStep {
    OpeningStep(commandPath: commandPath, answerPath: answerPath, timeLimit: timeLimit, retries: 0) {
      AgreementDialogue(agreement: self)
    }
  }

  /// Returns a codec that seals and opens values once the agreement is complete.
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
