import BLESession

/// Tells a queue that stands still from one that waits for something slow.
///
/// One question at a time is under way; a queue that has not come to it for as long as the patience hangs.
final class QueueWatch: Sendable {
  private let clock: any SessionClock
  private let patience: Duration
  /// When the question was asked that the queue has not come to yet.
  private let asked = Guarded<Duration?>(nil)

  init(_ patience: Duration, by clock: any SessionClock) {
    self.patience = patience
    self.clock = clock
  }

  /// Whether the queue moves.
  /// - Parameter ask: has the queue call what it is given, and does not wait for that.
  func moves(_ ask: (@escaping @Sendable () -> Void) -> Void) -> Bool {
    let now = clock.now
    let (isFirst, since) = asked.with { asked in
      defer { asked = asked ?? now }
      return (asked == nil, asked ?? now)
    }
    if isFirst { ask { [asked] in asked.with { $0 = nil } } }
    return now - since < patience
  }
}
