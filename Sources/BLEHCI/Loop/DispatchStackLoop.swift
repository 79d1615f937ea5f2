import BLECore
import Dispatch
import Glibc
import Synchronization

/// The loop of a stack in real time: a serial queue and the machine's monotonic clock, which all its processes share.
///
/// A loop may run faster than the clock: then each of its seconds takes a fraction of a real one, for simulations that need less
/// than real time. Loops with the same speed agree on the time, also across processes.
///
/// `@unchecked Sendable`: `timers`, `source` and `armed` are used only on the queue, which is serial; the rest is constant or atomic.
public final class DispatchStackLoop: StackLoop, @unchecked Sendable {
  /// The queue of the loop: sources for file descriptors of this stack deliver their events on it.
  public let queue: DispatchQueue
  /// The number of its seconds in one real second.
  public let speed: Int
  private let nextOrigin = Atomic<UInt32>(1)
  private var timers = TimerQueue()
  private let source: any DispatchSourceTimer
  /// When the source fires next.
  private var armed = StackInstant.distantFuture
  private var isFiring = false
  /// A block that fires due timers waits on the queue.
  private var isBlockWaiting = false
  /// A timer that is due within this time, in nanoseconds of the system, waits on the queue and not with the system, which would wake two
  /// threads for it and take longer.
  private static let shortDelay: Int64 = 20_000
  /// What is delivered behind the current job.
  private var deliveries: [any CallbackDelivery] = []

  /// - Parameter speed: at least 1, and 1 if the controller is not simulated.
  public init(label: String = "ble.stack", speed: Int = 1) {
    queue = DispatchQueue(label: label)
    self.speed = max(1, speed)
    source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { [weak self] in self?.sourceFired() }
    source.schedule(deadline: .distantFuture)
    source.activate()
  }

  deinit { source.cancel() }

  public var now: StackInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return StackInstant(nanoseconds: (Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)) &* Int64(speed))
  }

  public func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void) {
    queue.async(execute: job)
  }

  public func makeOrigin() -> JobOrigin {
    JobOrigin(rawValue: nextOrigin.wrappingAdd(1, ordering: .relaxed).oldValue)
  }

  @discardableResult
  public func schedule(
    at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int
  ) -> TimerToken {
    let token = timers.schedule(at: deadline, kind, target, tag: tag)
    if !isFiring { arm(deadline) }
    return token
  }

  /// The source is not changed: firing without a due timer costs less than setting it again.
  public func cancel(_ token: TimerToken) { timers.cancel(token) }

  /// Behind the current job, which may read many packets: their callbacks then go to the program's queue, and wake its thread, together.
  public func deliver(_ delivery: any CallbackDelivery) {
    deliveries.append(delivery)
    if deliveries.count == 1 { queue.async { [self] in dispatchDeliveries() } }
  }

  private func dispatchDeliveries() {
    var waiting: [any CallbackDelivery] = []
    swap(&waiting, &deliveries)
    for delivery in waiting { delivery.dispatch(finished: {}) }
    waiting.removeAll(keepingCapacity: true)
    if deliveries.isEmpty { swap(&waiting, &deliveries) }
  }

  private func sourceFired() {
    armed = .distantFuture
    fire()
  }

  private func fire() {
    isFiring = true
    // Timers that are scheduled for now during this run after other work that waits on the queue.
    let instant = now
    while let (target, tag) = timers.popDue(by: instant) { target.timerFired(tag: tag) }
    isFiring = false
    if let deadline = timers.nextDeadline() { arm(deadline) }
  }

  private func arm(_ deadline: StackInstant) {
    guard deadline < armed, !isBlockWaiting else { return }
    let delay = max(0, (deadline - now).nanoseconds) / Int64(speed)
    if delay < Self.shortDelay {
      isBlockWaiting = true
      queue.async { [weak self] in
        guard let self else { return }
        isBlockWaiting = false
        fire()
      }
      return
    }
    armed = deadline
    source.schedule(deadline: .now() + .nanoseconds(Int(clamping: delay)), leeway: .nanoseconds(0))
  }
}
