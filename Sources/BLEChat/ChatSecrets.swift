import BLESession
import Foundation

/// The keys of a chat. They are agreed on once with each other side and outlive its links.
///
/// Keys have an identifier that both sides know them by: two sides go on with keys that both of them have, and agree on others where
/// there are none. New keys take their place beside those that are there when the other side has shown that it has them, not before:
/// one that only claims to be a partner changes nothing, and one that agreed on keys of its own under a partner's number does not keep
/// the partner from using the keys that it has.
struct ChatSecrets {
  private struct Keys {
    var channel: SecureChannel
    /// The number of the other side that said it had them.
    let partner: UInt64
    var isConfirmed = false
  }

  /// Keys that are kept of those that were confirmed, and of others.
  private static let (mostConfirmed, mostUnconfirmed) = (4, 2)

  /// The last used first.
  private var all: [Keys] = []
  private var agreement: KeyAgreement?
  /// The keys of this link; 0 for none.
  private(set) var current: UInt64 = 0
  /// The last keys that were confirmed; 0 before there were any.
  private(set) var last: UInt64 = 0

  /// The keys that this side names in its hello, 0 for none: the last ones where it speaks first, else those that the other side has
  /// named, or the last ones with a side of its number.
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

  /// A link on which these keys are used; 0 for none.
  mutating func use(_ identifier: UInt64) { (agreement, current) = (nil, identifier) }

  /// Begins an agreement, as the central. Gives the commitment.
  mutating func begin(with cryptography: any SessionCryptography, limit: AgreementLimit) throws(CryptographyError)
    -> Data
  {
    let agreement = try KeyAgreement(.beginner, with: cryptography, limit: limit)
    (self.agreement, current) = (agreement, 0)
    return try agreement.commitment()
  }

  /// The peripheral hears what the central is bound to, and gives its own key.
  mutating func take(
    commitment: Data, with cryptography: any SessionCryptography, limit: AgreementLimit
  ) throws(CryptographyError) -> Data {
    guard agreement == nil else { throw .outOfTurn }
    var agreement = try KeyAgreement(.answerer, with: cryptography, limit: limit)
    let key = try agreement.take(commitment: commitment)
    (self.agreement, current) = (agreement, 0)
    return key
  }

  /// The other side's key: gives this side's where it is due.
  mutating func take(key: Data, of partner: UInt64) throws(CryptographyError) -> Data? {
    guard var agreement else { throw .outOfTurn }
    let (channel, answer) = try agreement.take(key: key)
    all.insert(Keys(channel: channel, partner: partner), at: 0)
    use(channel.identifier)
    trim()
    return answer
  }

  /// Whether this link has other keys than the ones that were confirmed last.
  var areChanging: Bool { last != 0 && current != last }

  /// The other side has shown that it has the keys of this link. Gives their code.
  mutating func confirm(_ limit: AgreementLimit) -> String? {
    guard let index = all.firstIndex(where: { $0.channel.identifier == current }) else { return nil }
    var keys = all.remove(at: index)
    // Somebody may try codes by replacing keys again and again as well: then each one counts.
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
