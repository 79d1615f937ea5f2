import BLECore
import Synchronization

/// The world's time for apps that take a `Clock` of Swift's as an argument, instead of `ContinuousClock`.
///
/// ```swift
/// init(options: [String: Any]? = nil, clock: any Clock<Duration> = ContinuousClock()) { … }
/// // in the app:
/// try await clock.sleep(for: .seconds(5))
/// // in the test:
/// let app = App(options: phone.options, clock: world.continuousClock)
/// ```
///
/// Tasks that were started in the world (`World.start`, `World.perform`) wake at the exact moment, and the world's clock waits
/// for what they do then. Other tasks, for example on the main actor, wake as well, but the clock does not wait for what they do:
/// they resume by way of threads that the world does not observe.
public struct WorldContinuousClock: Clock {
  /// A moment of a world.
  public struct Instant: InstantProtocol {
    /// The time since the world's beginning.
    public let offset: Duration

    /// The moment that is `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time until `other`.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether `left` is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let loop: VirtualLoop
  private let origin: JobOrigin

  init(loop: VirtualLoop) {
    self.loop = loop
    origin = loop.makeOrigin()
  }

  /// The world's current time.
  public var now: Instant { Instant(offset: .nanoseconds(loop.now.nanoseconds)) }
  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends until the world's clock has reached `deadline`; always exactly.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let sleeper = Sleeper(loop: loop, origin: origin)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sleeper.begin(continuation, until: .zero + StackDuration(deadline.offset))
      }
    } onCancel: {
      sleeper.cancel()
    }
  }
}

/// One sleeping task.
///
/// `@unchecked Sendable`: `token` belongs to the loop, the rest is immutable or behind the lock.
private final class Sleeper: TimerTarget, @unchecked Sendable {
  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, any Error>)
    case over
  }

  private let loop: VirtualLoop
  private let origin: JobOrigin
  private let state = Mutex(State.awake)
  private var token = TimerToken()

  init(loop: VirtualLoop, origin: JobOrigin) {
    self.loop = loop
    self.origin = origin
  }

  /// Its world has ended.
  deinit { end()?.resume(throwing: CancellationError()) }

  func begin(_ continuation: CheckedContinuation<Void, any Error>, until deadline: StackInstant) {
    let isCancelled = state.withLock { state in
      if case .over = state { return true }
      state = .asleep(continuation)
      return false
    }
    if isCancelled { return continuation.resume(throwing: CancellationError()) }
    loop.submit(from: origin) { self.token = self.loop.schedule(at: deadline, .background, self, tag: 0) }
  }

  func cancel() {
    guard let continuation = end() else { return }
    continuation.resume(throwing: CancellationError())
    loop.submit(from: origin) { self.loop.cancel(self.token) }
  }

  func timerFired(tag: Int) {
    guard let continuation = end() else { return }
    loop.codeWasContinued()
    continuation.resume()
  }

  private func end() -> CheckedContinuation<Void, any Error>? {
    state.withLock { state in
      defer { state = .over }
      guard case .asleep(let continuation) = state else { return nil }
      return continuation
    }
  }
}

extension World {
  /// The world's time for apps that take a `Clock` of Swift's as an argument.
  public var continuousClock: WorldContinuousClock { WorldContinuousClock(loop: loop) }
}
