/// The one serial executor, with its clock, that owns all state of a stack.
///
/// All code of a stack runs on its loop: packets from the controller, timers, and the jobs that programs submit. Functions marked
/// *on the loop* may be called only there.
public protocol StackLoop: AnyObject, Sendable {
  /// The loop's time. From any thread.
  var now: StackInstant { get }
  /// Whether its clock jumps, and waits for delivered callbacks. From any thread.
  var isVirtual: Bool { get }

  /// Runs `job` on the loop. From any thread; jobs of one origin keep their order.
  func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void)

  /// Returns a number for a submitter of jobs. From any thread.
  func makeOrigin() -> JobOrigin

  /// Calls `target.timerFired(tag:)` at `deadline`. On the loop. Timers of one instant fire in the order of scheduling.
  @discardableResult
  func schedule(at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int) -> TimerToken

  /// Cancels a timer; does nothing if it has fired or was cancelled. On the loop.
  func cancel(_ token: TimerToken)

  /// Delivers callbacks to a queue of the program. On the loop. A simulated loop delays them until the current instant is
  /// complete, and does not advance the clock before `finished` was called for each.
  func deliver(_ delivery: any CallbackDelivery)

  /// Reports that a program receives callbacks on `queue`, on which it may also run its own code. A simulated loop waits for that
  /// before it advances the clock, until `unfollow` was called as often. From any thread.
  func follow(_ queue: ProgramQueue)
  /// Ends one `follow`. From any thread.
  func unfollow(_ queue: ProgramQueue)
}

/// The submitter of a job: a simulated loop runs jobs of one round in the order of their origins, so that a run does not depend
/// on which of two threads was faster.
public struct JobOrigin: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// For submitters without a number of their own.
  public static let common = JobOrigin(rawValue: 0)
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Whether a timer counts as pending activity.
public enum TimerKind: UInt8, Sendable {
  /// The timer advances an operation: a stack with such a timer is busy.
  case work
  /// The timer repeats without end, or guards against a failure (advertising, idle connection events, time-outs): a stack with no
  /// other timers is quiet.
  case background
}

/// Receives timers without a closure for each.
public protocol TimerTarget: AnyObject {
  /// Called on the loop. `tag` is the one with which the timer was scheduled.
  func timerFired(tag: Int)
}

/// Identifies one scheduled timer. The default value identifies none.
public struct TimerToken: Hashable, Sendable {
  let slot: Int32
  let generation: UInt32
  init(slot: Int32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
  public init() { self.init(slot: -1, generation: 0) }
}

/// A batch of callbacks for a program's queue.
public protocol CallbackDelivery: AnyObject, Sendable {
  /// Whether a system may deliver the batch before or after others of the same instant, also on the same queue.
  var isIndependent: Bool { get }

  /// Starts the batch on its queue and returns at once; `finished` must be called exactly once, after the last callback of the
  /// batch has returned, from any thread.
  func dispatch(finished: @escaping @Sendable () -> Void)
}

extension CallbackDelivery {
  public var isIndependent: Bool { false }
}

extension StackLoop {
  public var isVirtual: Bool { false }

  @discardableResult
  public func schedule(
    after delay: StackDuration, _ kind: TimerKind, _ target: any TimerTarget, tag: Int = 0
  ) -> TimerToken {
    schedule(at: now + delay, kind, target, tag: tag)
  }

  /// For rare events; where packets pass, conform to `TimerTarget` instead.
  @discardableResult
  public func schedule(
    after delay: StackDuration, _ kind: TimerKind, _ action: @escaping () -> Void
  ) -> TimerToken {
    schedule(at: now + delay, kind, ClosureTimer(action), tag: 0)
  }
}

private final class ClosureTimer: TimerTarget {
  private let action: () -> Void
  init(_ action: @escaping () -> Void) { self.action = action }
  func timerFired(tag: Int) { action() }
}

/// State that belongs to a loop, captured by closures that have to be `Sendable`.
///
/// `@unchecked Sendable`: the value is used only in jobs of the loop, which run one after another.
public struct LoopBound<Value>: @unchecked Sendable {
  /// On the loop only.
  public let value: Value
  public init(_ value: Value) { self.value = value }
}
