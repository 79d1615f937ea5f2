import Foundation

/// The clock of sessions: the system's, or in tests a simulated world's, which advances under the test's control.
public protocol SessionClock: Sendable {
  /// Cancels a scheduled call.
  associatedtype Timer: SessionTimer
  /// The time since a fixed moment; it never decreases.
  var now: Duration { get }
  /// Calls `action` on `queue` after `delay`, unless the timer is cancelled before.
  func schedule(after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) -> Timer
  /// Calls `action` on `queue` as soon as possible. A simulated clock does not advance before it has returned.
  func run(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void)
}

extension SessionClock {
  public func run(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    queue.async(execute: action)
  }
}

/// One scheduled call.
public protocol SessionTimer: Sendable {
  /// Cancels the call. A call that is already queued may still be made.
  func cancel()
}

/// The system's clock.
public struct SystemSessionClock: SessionClock {
  /// A call scheduled on a dispatch queue.
  public struct Timer: SessionTimer {
    // `DispatchWorkItem` may be cancelled from any thread, but is not declared `Sendable` on all systems.
    nonisolated(unsafe) fileprivate let item: DispatchWorkItem
    public func cancel() { item.cancel() }
  }

  /// Creates the system's clock.
  public init() {}

  public var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  public func schedule(
    after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void
  ) -> Timer {
    let item = DispatchWorkItem(block: action)
    queue.asyncAfter(deadline: .now() + delay.seconds, execute: item)
    return Timer(item: item)
  }
}

extension SessionClock {
  /// Calls `body` on `queue` after `delay`. Must be called on `queue`.
  package func call(after delay: Duration, on queue: DispatchQueue, _ body: @escaping () -> Void) -> any SessionTimer {
    let bound = QueueBound(value: body)
    return schedule(after: delay, on: queue) { bound.value() }
  }
}

/// `@unchecked Sendable`: created and read on the same queue only.
private struct QueueBound<Value>: @unchecked Sendable {
  let value: Value
}

extension Duration {
  /// The duration in seconds, never negative.
  package var seconds: Double {
    let (seconds, attoseconds) = components
    return max(0, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
