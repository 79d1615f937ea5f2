import CoreBluetooth

/// One agreement on keys, from the commitment to the channel. The chat and ``SecureChannelAgreement`` both use this one.
///
/// 1. The beginner makes its key and says the commitment to it, a hash.
/// 2. The answerer says its public key.
/// 3. The beginner says its public key; the answerer compares it with the commitment.
///
/// The verification code depends on both keys. Each side is bound to its key before it sees the other's, so somebody in between cannot
/// choose a key by the code that comes of it: each agreement gives one try, which fits with a probability of 1 in 1,000,000. Each
/// agreement in which this side's key was said takes a place of the ``AgreementLimit``, so that tries cannot follow one another at speed.
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

  /// What the beginner says first: 32 octets.
  package func commitment() throws(CryptographyError) -> Data { try commitment(to: own.publicKey) }

  /// The answerer hears the commitment, and gives its public key.
  /// - Throws: `tooManyAttempts`; the agreement is as it was then.
  package mutating func take(commitment: Data) throws(CryptographyError) -> Data {
    guard case .waitingForCommitment = step else { throw .outOfTurn }
    guard commitment.count == 32 else { throw .length }
    try limit.begin()
    step = .revealed(commitment: commitment)
    return own.publicKey
  }

  /// The other side's public key: gives the channel, and to the beginner the public key that it says next.
  ///
  /// An agreement whose key was refused is over: the other side does not get a second try in it.
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

  /// A public key has 32 octets of chance, so its hash says nothing about it.
  private func commitment(to key: Data) throws(CryptographyError) -> Data {
    try cryptography.deriveKey(
      secret: key, salt: Data(), info: Data("swift-corebluetooth agreement 2 commitment".utf8), count: 32)
  }
}
