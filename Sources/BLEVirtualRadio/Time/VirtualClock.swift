import BLECore
import Dispatch
import Synchronization

/// A virtual loop's time for programs that take their clock as an argument: timers fire on the program's own queue, at the exact
/// moment, and the loop waits until their actions have returned.
public struct VirtualClock: Sendable {
  private let loop: VirtualLoop
  private let origin: JobOrigin

  public init(loop: VirtualLoop) {
    self.loop = loop
    origin = loop.makeOrigin()
  }

  /// The time since the loop's beginning.
  public var now: Duration { .nanoseconds(loop.now.nanoseconds) }

  /// Calls `action` on `queue` after `delay` of the loop's time.
  ///
  /// A waiting timer does not count as pending: a run until the loop is quiet does not wait for it, a run until an instant does.
  public func schedule(
    after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void
  ) -> VirtualTimer {
    let timer = VirtualTimer(loop: loop, origin: origin, queue: queue, action)
    timer.start(at: loop.now + StackDuration(delay))
    return timer
  }

  /// Calls `action` on `queue` as soon as possible; the loop's clock does not advance before it has returned.
  public func run(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    loop.enter()
    queue.async { [loop] in
      action()
      loop.leave()
    }
  }
}

/// One call that is due at a loop's time.
///
/// `@unchecked Sendable`: `token` belongs to the loop, the rest is immutable or behind the lock.
public final class VirtualTimer: TimerTarget, CallbackDelivery, @unchecked Sendable {
  private let loop: VirtualLoop
  private let origin: JobOrigin
  private let queue: DispatchQueue
  private let action: Mutex<(@Sendable () -> Void)?>
  private var token = TimerToken()

  init(loop: VirtualLoop, origin: JobOrigin, queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.origin = origin
    self.queue = queue
    self.action = Mutex(action)
  }

  func start(at deadline: StackInstant) {
    loop.submit(from: origin) { self.token = self.loop.schedule(at: deadline, .background, self, tag: 0) }
  }

  /// Cancels the call. From any thread; afterwards `action` is not called, unless it is running.
  public func cancel() {
    guard take() != nil else { return }
    loop.submit(from: origin) { self.loop.cancel(self.token) }
  }

  /// Dispatch promises no order of timers that are due at one time.
  public var isIndependent: Bool { true }

  public func timerFired(tag: Int) { loop.deliver(self) }

  public func dispatch(finished: @escaping @Sendable () -> Void) {
    queue.async {
      self.take()?()
      finished()
    }
  }

  private func take() -> (@Sendable () -> Void)? {
    action.withLock { action in
      defer { action = nil }
      return action
    }
  }
}
