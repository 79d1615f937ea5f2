import CoreBluetooth

/// One key agreement, from the commitment to the channel. ``SecureChannelAgreement`` and the chat both use it.
///
/// 1. The beginner creates its key and sends the commitment to it, a hash.
/// 2. The answerer sends its public key.
/// 3. The beginner sends its public key; the answerer compares it with the commitment.
///
/// The verification code depends on both keys. Each side is committed to its key before it sees the other's, so a man in the middle cannot
/// choose a key for its code: each agreement is one try, which succeeds with a probability of 1 in 1,000,000. Each agreement in which this
/// side's key was sent takes a place of the ``AgreementLimit``, which limits the rate of tries.
package struct KeyAgreement: Sendable {
  private enum Step {
    case waitingForCommitment
    case committed
    case revealed(commitment: Data)
    case over
  }

  private let side: SecureChannel.Side
  private let cryptography: any SessionCryptography
  private let limit: AgreementLimit
  private let own: any AgreementKey
  private var step: Step

  package init(
    _ side: SecureChannel.Side, with cryptography: any SessionCryptography, limit: AgreementLimit
  ) throws(CryptographyError) {
    self.side = side
    self.cryptography = cryptography
    self.limit = limit
    own = try cryptography.makeAgreementKey()
    step = side == .beginner ? .committed : .waitingForCommitment
  }

  /// Returns the beginner's first message: 32 octets.
  package func commitment() throws(CryptographyError) -> Data { try commitment(to: own.publicKey) }

  /// Processes the commitment at the answerer, and returns its public key.
  /// - Throws: `tooManyAttempts`, which leaves the agreement unchanged; `outOfTurn`, `length`.
  package mutating func take(commitment: Data) throws(CryptographyError) -> Data {
    guard case .waitingForCommitment = step else { throw .outOfTurn }
    guard commitment.count == 32 else { throw .length }
    try limit.begin()
    step = .revealed(commitment: commitment)
    return own.publicKey
  }

  /// Processes the other side's public key. Returns the channel and, at the beginner, the public key to send next.
  ///
  /// An agreement whose key was rejected has ended: the other side gets no second try in it.
  package mutating func take(key: Data) throws(CryptographyError) -> (channel: SecureChannel, answer: Data?) {
    switch step {
    case .committed:
      let channel = try channel(with: key)
      try limit.begin()
      step = .over
      return (channel, own.publicKey)
    case .revealed(let commitment):
      step = .over
      guard try commitment == self.commitment(to: key) else { throw .notAsAnnounced }
      return (try channel(with: key), nil)
    case .waitingForCommitment, .over: throw .outOfTurn
    }
  }

  private func channel(with key: Data) throws(CryptographyError) -> SecureChannel {
    guard key != own.publicKey else { throw .publicKey }
    return try SecureChannel(cryptography: cryptography, side: side, own: own, peer: key)
  }

  /// Returns the commitment to a key. A public key has 32 octets of entropy, so its hash reveals nothing about it.
  private func commitment(to key: Data) throws(CryptographyError) -> Data {
    try cryptography.deriveKey(
      secret: key, salt: Data(), info: Data("swift-corebluetooth agreement 2 commitment".utf8), count: 32)
  }
}
