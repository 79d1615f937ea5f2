import Synchronization

/// A queue on which a program may run its own code, besides its callbacks.
///
/// The loop's block for it is made once and enqueued repeatedly, since each callback is followed by one.
public final class ProgramQueue: Sendable {
  /// Equal for the same queue.
  public let identity: ObjectIdentifier
  /// The program's name for it.
  public let label: String
  private let turns = Turns()
  private let enqueue: @Sendable () -> Void

  /// - Parameter repeating: converts an action into a closure that enqueues it, so that it runs after everything that is enqueued
  ///   now; called for one run of the action at a time. It retains `queue`.
  public init(
    _ queue: AnyObject, label: String,
    repeating: (_ action: @escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) {
    identity = ObjectIdentifier(queue)
    self.label = label
    enqueue = repeating { [turns] in turns.take() }
  }

  /// Sets the closure that is called at the end of each passage, on the queue. Called before the first one.
  func whenPassed(_ arrived: @escaping @Sendable () -> Void) {
    if turns.arrived == nil { turns.arrived = arrived }
  }

  /// Enqueues the block `count` times, one after the other. One passage at a time.
  func passThrough(_ count: Int) {
    turns.state.withLock { state in
      state.left = count
      state.again = enqueue
    }
    enqueue()
  }

  /// `@unchecked Sendable`: `arrived` is set before the first passage and never changed; the rest is guarded by the lock.
  private final class Turns: @unchecked Sendable {
    struct State {
      var left = 0
      var again: (@Sendable () -> Void)?
    }

    let state = Mutex(State())
    var arrived: (@Sendable () -> Void)?

    func take() {
      // No closure is returned from the lock: a generic result wraps it, which allocates on each turn.
      let isOver = state.withLock { state in
        state.left -= 1
        if state.left > 0 {
          state.again?()
          return false
        }
        // The closure that enqueues the block retains the block.
        state.again = nil
        return true
      }
      if isOver { arrived?() }
    }
  }
}

/// The process of a simulated world that a queue or a callback belongs to.
public struct ProcessNumber: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The number of what belongs to no process.
  public static let common = ProcessNumber(rawValue: 0)
}

extension StackLoop {
  /// In real time there is nothing to wait for.
  public func follow(_ queue: ProgramQueue) {}
  public func unfollow(_ queue: ProgramQueue) {}
}
