import BLECore

/// How soon a peer's word is acted on that its services have changed.
///
/// The first change counts at once. After each one there is a pause, which doubles: what changes meanwhile is gathered and counts
/// together. A peer that changes without end costs neither programs nor the air without end, and a walk through its database
/// comes to an end between two changes. After some quiet it all begins anew.
struct ChangePace {
  static let shortestPause = StackDuration.milliseconds(100)
  static let longestPause = StackDuration.seconds(32)
  /// So long after a change it is forgotten.
  static let memory = StackDuration.seconds(64)

  private var gathered: ClosedRange<AttributeHandle>?
  private var pause = shortestPause
  private var last: StackInstant?

  /// Notes a change. `nil`: it counts now; otherwise after this time, together with what else is gathered until then.
  mutating func add(_ handles: ClosedRange<AttributeHandle>, at now: StackInstant) -> StackDuration? {
    if let last, now < last + pause {
      let known = gathered ?? handles
      gathered = min(known.lowerBound, handles.lowerBound)...max(known.upperBound, handles.upperBound)
      return last + pause - now
    }
    count(at: now)
    return nil
  }

  /// The pause is over: what counts now.
  mutating func take(at now: StackInstant) -> ClosedRange<AttributeHandle>? {
    defer { gathered = nil }
    count(at: now)
    return gathered
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
