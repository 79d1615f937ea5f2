import BLESession
import Foundation

/// The keys of a chat. They are agreed on once with each partner and outlive its links.
///
/// Both sides know keys by an identifier: they continue with keys that both have, and agree on new ones if there are none. New keys are
/// added beside the existing ones only when the other side has proved that it has them: a device that merely claims to be a partner
/// changes nothing, and one that agreed on its own keys under a partner's identifier does not keep the partner from using its keys.
struct ChatSecrets {
  private struct Keys {
    var channel: SecureChannel
    /// The identifier with which the other side claimed the keys.
    let partner: UInt64
    var isConfirmed = false
  }

  /// How many confirmed and how many unconfirmed keys are kept.
  private static let (mostConfirmed, mostUnconfirmed) = (4, 2)

  /// Most recently used first.
  private var all: [Keys] = []
  private var agreement: KeyAgreement?
  /// The keys of this link; 0 for none.
  private(set) var current: UInt64 = 0
  /// The last confirmed keys; 0 before there were any.
  private(set) var last: UInt64 = 0

  /// The keys that this side names in its hello, 0 for none: the last used ones if it speaks first, otherwise those that the other side
  /// has named, or the last ones with its identifier.
  func named(answering hello: ChatHello?) -> UInt64 {
    guard let hello else { return all.first?.channel.identifier ?? 0 }
    if has(hello.keys, with: hello.identifier) { return hello.keys }
    return all.first { $0.partner == hello.identifier }?.channel.identifier ?? 0
  }

  func has(_ identifier: UInt64, with partner: UInt64) -> Bool {
    all.contains { $0.channel.identifier == identifier && $0.partner == partner }
  }

  /// Whether an agreement has begun on this link.
  var isAgreeing: Bool { agreement != nil }

  /// Uses these keys on the link; 0 for none.
  mutating func use(_ identifier: UInt64) { (agreement, current) = (nil, identifier) }

  /// Begins an agreement, as the central. Returns the commitment.
  mutating func begin(with cryptography: any SessionCryptography, limit: AgreementLimit) throws(CryptographyError)
    -> Data
  {
    let agreement = try KeyAgreement(.beginner, with: cryptography, limit: limit)
    (self.agreement, current) = (agreement, 0)
    return try agreement.commitment()
  }

  /// Takes the central's commitment, as the peripheral. Returns this side's key.
  mutating func take(
    commitment: Data, with cryptography: any SessionCryptography, limit: AgreementLimit
  ) throws(CryptographyError) -> Data {
    guard agreement == nil else { throw .outOfTurn }
    var agreement = try KeyAgreement(.answerer, with: cryptography, limit: limit)
    let key = try agreement.take(commitment: commitment)
    (self.agreement, current) = (agreement, 0)
    return key
  }

  /// Takes the other side's key. Returns this side's if it has to be sent now.
  mutating func take(key: Data, of partner: UInt64) throws(CryptographyError) -> Data? {
    guard var agreement else { throw .outOfTurn }
    let (channel, answer) = try agreement.take(key: key)
    all.insert(Keys(channel: channel, partner: partner), at: 0)
    use(channel.identifier)
    trim()
    return answer
  }

  /// Whether this link has other keys than those confirmed last.
  var areChanging: Bool { last != 0 && current != last }

  /// Confirms the keys of this link, which the other side has proved to have. Returns their code.
  mutating func confirm(_ limit: AgreementLimit) -> String? {
    guard let index = all.firstIndex(where: { $0.channel.identifier == current }) else { return nil }
    var keys = all.remove(at: index)
    // An attacker can also try codes by replacing keys repeatedly: so each replacement counts.
    if !keys.isConfirmed { limit.confirm(keepsPlace: areChanging) }
    keys.isConfirmed = true
    all.insert(keys, at: 0)
    last = current
    trim()
    return keys.channel.verificationCode
  }

  private mutating func trim() {
    var (confirmed, unconfirmed) = (0, 0)
    all = all.filter { keys in
      if keys.isConfirmed { confirmed += 1 } else { unconfirmed += 1 }
      return keys.isConfirmed ? confirmed <= Self.mostConfirmed : unconfirmed <= Self.mostUnconfirmed
    }
  }

  mutating func seal(_ content: Data) throws -> Data { try with { (channel) in try channel.seal(content) } }
  mutating func open(_ value: Data) throws -> Data { try with { (channel) in try channel.open(value) } }

  private mutating func with(_ body: (inout SecureChannel) throws -> Data) throws -> Data {
    guard let index = all.firstIndex(where: { $0.channel.identifier == current }) else {
      throw ChatViolation("there are no keys")
    }
    return try body(&all[index].channel)
  }
}
