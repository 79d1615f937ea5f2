/// The one serial executor, with its clock, that owns all state of a stack.
///
/// Everything of a stack runs on its loop: packets from the controller, timers, and the jobs that programs submit. What is
/// marked *on the loop* may be called from there only.
public protocol StackLoop: AnyObject, Sendable {
  /// The loop's time. May be read from any thread.
  var now: StackInstant { get }
  /// Whether its clock jumps, and waits for callbacks that were delivered. From any thread.
  var isVirtual: Bool { get }

  /// Runs `job` on the loop. From any thread; jobs of one origin keep their order.
  func submit(from origin: JobOrigin, _ job: @escaping @Sendable () -> Void)

  /// A number for somebody who submits jobs. From any thread.
  func makeOrigin() -> JobOrigin

  /// Calls `target.timerFired(tag:)` at `deadline`. On the loop. Timers of one instant fire in the order of scheduling.
  @discardableResult
  func schedule(at deadline: StackInstant, _ kind: TimerKind, _ target: any TimerTarget, tag: Int) -> TimerToken

  /// Forgets a timer; one that has fired or was cancelled before is no harm. On the loop.
  func cancel(_ token: TimerToken)

  /// Brings callbacks to a queue of the program. On the loop. A simulated loop holds them back until the current instant
  /// is worked off, and does not move the clock before `finished` was called for each.
  func deliver(_ delivery: any CallbackDelivery)

  /// A program's callbacks are made on `queue`, on which it may run code of its own as well. A simulated loop waits for that before
  /// it moves the clock, until `unfollow` was called as often. From any thread.
  func follow(_ queue: ProgramQueue)
  /// Ends one `follow`. From any thread.
  func unfollow(_ queue: ProgramQueue)
}

/// Who submitted a job: a simulated loop runs the jobs that came in together in the order of their origins, so that
/// a run does not depend on which of two threads was faster.
public struct JobOrigin: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// For whoever has no number of his own.
  public static let common = JobOrigin(rawValue: 0)
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What a timer's firing means for the question whether everything is quiet.
public enum TimerKind: UInt8, Sendable {
  /// Something is under way that this timer moves on: a stack with such a timer is busy.
  case work
  /// Goes on for ever or guards against what should not happen (advertising, idle connection events, time-outs): a stack
  /// with nothing else is quiet.
  case background
}

/// Receives timers without a closure for each of them.
public protocol TimerTarget: AnyObject {
  /// On the loop. `tag` is what the timer was scheduled with.
  func timerFired(tag: Int)
}

/// Names one scheduled timer. The default names none.
public struct TimerToken: Hashable, Sendable {
  let slot: Int32
  let generation: UInt32
  init(slot: Int32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
  public init() { self.init(slot: -1, generation: 0) }
}

/// A batch of callbacks on its way to a program's queue.
public protocol CallbackDelivery: AnyObject, Sendable {
  /// Starts the batch on its queue and returns at once; `finished` is to be called exactly once, after the last callback of
  /// the batch has returned, from whatever thread that was.
  func dispatch(finished: @escaping @Sendable () -> Void)
}

extension StackLoop {
  public var isVirtual: Bool { false }

  @discardableResult
  public func schedule(
    after delay: StackDuration, _ kind: TimerKind, _ target: any TimerTarget, tag: Int = 0
  ) -> TimerToken {
    schedule(at: now + delay, kind, target, tag: tag)
  }

  /// For what happens seldom; where packets pass, conform to `TimerTarget` instead.
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

/// State that lives on a loop, carried through closures that the compiler wants to be `Sendable`.
///
/// `@unchecked Sendable`: the value is touched only in jobs of the loop, which run one after another.
public struct LoopBound<Value>: @unchecked Sendable {
  /// On the loop only.
  public let value: Value
  public init(_ value: Value) { self.value = value }
}
