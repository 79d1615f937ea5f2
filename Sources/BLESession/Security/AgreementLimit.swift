import CoreBluetooth

/// Limits the rate of key agreements that do not complete.
///
/// A man in the middle learns from each agreement whether its guess of the verification code is right, and can abort it if not, before any
/// user sees a code. An agreement takes a place when this side sends its public key, and returns the place when the other side has shown
/// that it has the keys. There are five places; one that is not returned is free again after a minute. So five tries are possible
/// immediately and 1,440 on each day after that, of 1,000,000 codes.
///
/// All agreements of one limit are counted together, whatever the address of the other side, because addresses can be changed at will.
public final class AgreementLimit: Sendable {
  /// The default limit, which counts all agreements of this process without a limit of their own.
  public static let shared = AgreementLimit()

  /// The number of agreements that may be aborted in immediate succession.
  static let places = 5
  /// The time after which one place is free again.
  static let recovery = Duration.seconds(60)

  private struct State {
    /// The time at which all places will be free.
    var allFree: Duration?
    var unconfirmed = 0
  }

  private let clock: any SessionClock
  private let state = Guarded(State())

  /// Creates a separate limit, for programs with several devices of which one must not delay the others.
  public init(clock: any SessionClock = SystemSessionClock()) { self.clock = clock }

  /// The number of agreements so far in which this side has sent its public key and which the other side has not confirmed, including the
  /// one in progress.
  public var unconfirmed: Int { state.with { $0.unconfirmed } }

  /// Whether a place is free for another agreement.
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

  /// The other side has shown that it has the keys. The place is returned, unless `keepsPlace`.
  package func confirm(keepsPlace: Bool = false) {
    state.with { state in
      state.unconfirmed -= 1
      if !keepsPlace, let allFree = state.allFree { state.allFree = allFree - Self.recovery }
    }
  }
}
