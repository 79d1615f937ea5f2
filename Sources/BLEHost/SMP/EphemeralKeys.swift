import BLECore
import BLECrypto

/// The key pair of Secure Connections, renewed according to a policy (Core, Vol 3 Part H 2.3.6). On the loop.
public final class EphemeralKeys {
  public enum Renewal: Hashable, Sendable {
    /// A new pair for every pairing.
    case eachPairing
    /// At eight points: a successful pairing counts one, a failed one three.
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

  /// Returns the key pair for the next pairing, generated when it is first needed.
  public func current() -> P256PrivateKey {
    if let keyPair { return keyPair }
    let new = P256PrivateKey.random(entropy)
    keyPair = new
    points = 0
    return new
  }

  /// Records the end of a pairing.
  public func notePairing(succeeded: Bool) {
    points += succeeded ? 1 : 3
    if renewal == .eachPairing || points >= 8 { keyPair = nil }
  }
}
