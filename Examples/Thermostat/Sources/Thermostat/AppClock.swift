import Foundation

/// Where the app's timers come from: the system, or in tests a world in which an hour passes in milliseconds.
public protocol AppClock: Sendable {
  /// Calls `action` on `queue` after `delay`, unless the timer is cancelled before.
  func start(after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) -> any AppTimer
}

/// One call that is due.
public protocol AppTimer: Sendable {
  /// On the timer's queue: afterwards the action is not called.
  func cancel()
}

/// The system's clock.
public struct SystemClock: AppClock {
  private struct Timer: AppTimer {
    // A work item may be cancelled from any thread; it is not declared `Sendable` on all systems.
    nonisolated(unsafe) let item: DispatchWorkItem
    func cancel() { item.cancel() }
  }

  public init() {}

  public func start(
    after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void
  ) -> any AppTimer {
    let item = DispatchWorkItem(block: action)
    let (seconds, attoseconds) = delay.components
    queue.asyncAfter(deadline: .now() + Double(seconds) + Double(attoseconds) / 1e18, execute: item)
    return Timer(item: item)
  }
}
