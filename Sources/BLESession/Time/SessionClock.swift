import Foundation

/// Where sessions get the time from: the system's, or in tests a simulated world's, whose clock is moved by hand.
public protocol SessionClock: Sendable {
  /// What cancels a call that is due.
  associatedtype Timer: SessionTimer
  /// Time since some moment that stays the same; never goes back.
  var now: Duration { get }
  /// Calls `action` on `queue` after `delay`, unless the timer is cancelled before.
  func schedule(after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) -> Timer
  /// Calls `action` on `queue` as soon as it can. A simulated clock does not move before it has returned.
  func run(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void)
}

extension SessionClock {
  public func run(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    queue.async(execute: action)
  }
}

/// One call that is due later.
public protocol SessionTimer: Sendable {
  /// Forgets the call. It may still come where it is on its way already.
  func cancel()
}

/// The system's clock.
public struct SystemSessionClock: SessionClock {
  /// A call on a dispatch queue.
  public struct Timer: SessionTimer {
    // `DispatchWorkItem` may be cancelled from any thread; the type does not say so everywhere.
    nonisolated(unsafe) fileprivate let item: DispatchWorkItem
    public func cancel() { item.cancel() }
  }

  /// The system's clock.
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
  /// Calls `body` on `queue` after `delay`. From `queue` itself.
  package func call(after delay: Duration, on queue: DispatchQueue, _ body: @escaping () -> Void) -> any SessionTimer {
    let bound = QueueBound(value: body)
    return schedule(after: delay, on: queue) { bound.value() }
  }
}

/// `@unchecked Sendable`: made on a queue, and opened there only.
private struct QueueBound<Value>: @unchecked Sendable {
  let value: Value
}

extension Duration {
  /// As seconds with a fraction, never below 0.
  package var seconds: Double {
    let (seconds, attoseconds) = components
    return max(0, Double(seconds) + Double(attoseconds) / 1e18)
  }
}
