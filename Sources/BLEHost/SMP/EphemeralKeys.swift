import BLECore
import BLECrypto

/// The key pair of Secure Connections and when it is renewed (Core, Vol 3 Part H 2.3.6). On the loop.
public final class EphemeralKeys {
  public enum Renewal: Hashable, Sendable {
    /// A new pair for every pairing.
    case eachPairing
    /// After eight points: a pairing that led to keys is one, a failed one three.
    case bySpecification
  }

  private let entropy: any EntropySource
  private let renewal: Renewal
  private var keyPair: P256PrivateKey?
  private var points = 0

  public init(entropy: any EntropySource, renewal: Renewal = .eachPairing) {
    self.entropy = entropy
    self.renewal = renewal
  }

  /// The pair for the next pairing; made when it is first wanted.
  public func current() -> P256PrivateKey {
    if let keyPair { return keyPair }
    let made = P256PrivateKey.random(entropy)
    keyPair = made
    points = 0
    return made
  }

  /// A pairing has ended.
  public func notePairing(succeeded: Bool) {
    points += succeeded ? 1 : 3
    if renewal == .eachPairing || points >= 8 { keyPair = nil }
  }
}
