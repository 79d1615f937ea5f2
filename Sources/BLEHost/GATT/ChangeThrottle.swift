import BLECore

/// Limits how often Service Changed indications of a peer are acted on.
///
/// The first change is acted on immediately. After each one there is a pause, doubled each time; changes during it are merged and
/// acted on together at its end. So a peer that sends changes without end cannot keep applications and the link busy, and a
/// discovery can complete between two changes. After `memory` without changes the pause is short again.
struct ChangeThrottle {
  static let shortestPause = StackDuration.milliseconds(100)
  static let longestPause = StackDuration.seconds(32)
  /// How long after a change the next one still doubles the pause.
  static let memory = StackDuration.seconds(64)

  /// The changes received during the pause, as one range.
  private var pending: ClosedRange<AttributeHandle>?
  private var pause = shortestPause
  private var last: StackInstant?

  /// Adds a change. Returns `nil` if it is to be acted on now; otherwise the time after which to call `take`.
  mutating func add(_ handles: ClosedRange<AttributeHandle>, at now: StackInstant) -> StackDuration? {
    if let last, now < last + pause {
      let known = pending ?? handles
      pending = min(known.lowerBound, handles.lowerBound)...max(known.upperBound, handles.upperBound)
      return last + pause - now
    }
    count(at: now)
    return nil
  }

  /// Returns the changes to act on at the end of a pause.
  mutating func take(at now: StackInstant) -> ClosedRange<AttributeHandle>? {
    defer { pending = nil }
    count(at: now)
    return pending
  }

  private mutating func count(at now: StackInstant) {
    if let last, now < last + Self.memory {
      pause = min(pause + pause, Self.longestPause)
    } else {
      pause = Self.shortestPause
    }
    last = now
  }
}
