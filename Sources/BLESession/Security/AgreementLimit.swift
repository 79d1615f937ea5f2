import CoreBluetooth

/// How fast agreements on keys may follow one another when they come to nothing.
///
/// Somebody in between learns from each agreement whether its guess of the verification code fits, and breaks it off where it does not,
/// before any user sees a code. An agreement takes a place at the moment in which this side says its public key, and gives the place
/// back when the other side has shown that it has the keys. Five places are there at first; one that is not given back is free again
/// after a minute. So five tries are possible at once and 1,440 on each day after that, of the 1,000,000 that there are codes.
///
/// Agreements of one limit are counted together, whatever address the other side uses: addresses can be changed at will.
public final class AgreementLimit: Sendable {
  /// The one that counts all agreements of this process that were given no other.
  public static let shared = AgreementLimit()

  /// Agreements that may be broken off at once.
  static let places = 5
  /// The time after which one place is free again.
  static let recovery = Duration.seconds(60)

  private struct State {
    /// When all places will be free.
    var allFree: Duration?
    var unconfirmed = 0
  }

  private let clock: any SessionClock
  private let state = Guarded(State())

  /// A limit of its own, for programs that talk to several devices of which one must not slow the others.
  public init(clock: any SessionClock = SystemSessionClock()) { self.clock = clock }

  /// Agreements in which this side has said its public key and which the other side has not confirmed, since the beginning. The one
  /// that is under way is among them.
  public var unconfirmed: Int { state.with { $0.unconfirmed } }

  /// Whether there is a place for another agreement now.
  public var hasRoom: Bool {
    let now = clock.now
    return state.with { Self.hasRoom($0, now) }
  }

  private static func hasRoom(_ state: State, _ now: Duration) -> Bool {
    guard let allFree = state.allFree else { return true }
    return allFree - now <= recovery * (places - 1)
  }

  /// Takes a place.
  func begin() throws(CryptographyError) {
    let now = clock.now
    let hasBegun = state.with { state in
      guard Self.hasRoom(state, now) else { return false }
      state.allFree = max(state.allFree ?? now, now) + Self.recovery
      state.unconfirmed += 1
      return true
    }
    guard hasBegun else { throw .tooManyAttempts }
  }

  /// The other side has shown that it has the keys. The place is given back, unless it `keepsPlace`.
  package func confirm(keepsPlace: Bool = false) {
    state.with { state in
      state.unconfirmed -= 1
      if !keepsPlace, let allFree = state.allFree { state.allFree = allFree - Self.recovery }
    }
  }
}
