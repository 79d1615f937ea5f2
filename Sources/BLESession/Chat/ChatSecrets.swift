import Foundation

/// The keys of a chat. They are agreed on once with each other side and outlive its links.
///
/// The central binds itself to its key before it sees the peripheral's (it says a hash of it first): otherwise somebody in between
/// could try keys until both sides show the same six digits.
///
/// New keys take the place of those in use when the other side has shown that it has them, not before: who only claims to be it
/// changes nothing.
struct ChatSecrets {
  private struct Keys {
    var channel: SecureChannel
    let partner: UInt64
  }

  private var side = ChatConversation.Side.central
  private var own: (any AgreementKey)?
  private var commitment: Data?
  /// Agreed on, but the other side has not used them yet.
  private var fresh: Keys?
  private var used: Keys?

  /// With whom there are keys: `identifier` where they are with that one, else anybody; 0 for nobody.
  func partner(for identifier: UInt64?) -> UInt64 {
    let partners = [fresh?.partner, used?.partner].compactMap(\.self)
    return partners.first { $0 == identifier } ?? partners.first ?? 0
  }

  /// A link on which keys are used that are there. Fresh ones with somebody else are given up.
  mutating func goOn(with partner: UInt64) {
    (own, commitment) = (nil, nil)
    if fresh?.partner != partner { fresh = nil }
  }

  /// The fresh keys did not fit: those in use may.
  mutating func dropFresh() { if used != nil { fresh = nil } }

  /// Begins an agreement. Gives what the central says first.
  mutating func begin(
    _ side: ChatConversation.Side, with cryptography: any SessionCryptography
  ) throws(CryptographyError) -> Data? {
    (fresh, commitment) = (nil, nil)
    self.side = side
    let own = try cryptography.makeAgreementKey()
    self.own = own
    return side == .central ? try Self.commitment(to: own.publicKey, cryptography) : nil
  }

  /// The peripheral hears what the central is bound to, and gives its own key.
  mutating func takeCommitment(_ value: Data) throws -> Data {
    guard side == .peripheral, commitment == nil, let own else { throw ChatViolation("a commitment out of turn") }
    commitment = value
    return own.publicKey
  }

  /// The other side's key: gives this side's where it is due.
  mutating func takeKey(_ key: Data, of partner: UInt64, with cryptography: any SessionCryptography) throws -> Data? {
    guard let own else { throw ChatViolation("a key out of turn") }
    if side == .peripheral {
      guard let commitment, commitment == (try Self.commitment(to: key, cryptography)) else {
        throw ChatViolation("another key than the one that was announced")
      }
    }
    let channel = try SecureChannel(
      cryptography: cryptography, side: side == .central ? .beginner : .answerer, own: own, peer: key)
    fresh = Keys(channel: channel, partner: partner)
    self.own = nil
    return side == .central ? own.publicKey : nil
  }

  /// Whether the keys of this link take the place of others.
  var areChanging: Bool { fresh != nil && used != nil }

  /// The other side has shown that it has the keys. Gives the code, and whether other keys were in use.
  mutating func confirm() -> (text: String, isChanged: Bool)? {
    let isChanged = areChanging
    if let fresh { used = fresh }
    fresh = nil
    return used.map { ($0.channel.verificationCode, isChanged) }
  }

  mutating func seal(_ content: Data) throws -> Data {
    guard let sealed = try fresh?.channel.seal(content) ?? used?.channel.seal(content) else {
      throw ChatViolation("there are no keys")
    }
    return sealed
  }

  mutating func open(_ value: Data) throws -> Data {
    guard let content = try fresh?.channel.open(value) ?? used?.channel.open(value) else {
      throw ChatViolation("there are no keys")
    }
    return content
  }

  private static func commitment(
    to key: Data, _ cryptography: any SessionCryptography
  ) throws(CryptographyError) -> Data {
    try cryptography.deriveKey(
      secret: key, salt: Data(), info: Data("swift-corebluetooth chat 1 commitment".utf8), count: 32)
  }
}
