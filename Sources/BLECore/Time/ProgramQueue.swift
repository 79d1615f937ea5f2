import Synchronization

/// A queue on which a program may run code of its own, beside the callbacks that it gets there.
///
/// The loop's block for it is made once and goes round it again and again, since there is one behind each callback.
public final class ProgramQueue: Sendable {
  /// Equal for the same queue.
  public let identity: ObjectIdentifier
  /// What the program calls it.
  public let label: String
  private let turns = Turns()
  private let enqueue: @Sendable () -> Void

  /// - Parameter repeating: makes of an action what puts it onto the queue, so that it runs when everything that is there now has been
  ///   done; called for one run of the action at a time. It keeps `queue`.
  public init(
    _ queue: AnyObject, label: String,
    repeating: (_ action: @escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) {
    identity = ObjectIdentifier(queue)
    self.label = label
    // The loop keeps this object while its block is on the queue.
    enqueue = repeating { [weak turns] in turns?.take() }
  }

  /// Says what is called at the end of each passage, on the queue; before the first one.
  func whenPassed(_ arrived: @escaping @Sendable () -> Void) {
    if turns.arrived == nil { turns.arrived = arrived }
  }

  /// Goes round the queue `count` times. One passage at a time.
  func passThrough(_ count: Int) {
    turns.state.withLock { state in
      state.left = count
      state.again = enqueue
    }
    enqueue()
  }

  /// `@unchecked Sendable`: `arrived` is set before the first passage and stays; the rest is behind the lock.
  private final class Turns: @unchecked Sendable {
    struct State {
      var left = 0
      var again: (@Sendable () -> Void)?
    }

    let state = Mutex(State())
    var arrived: (@Sendable () -> Void)?

    func take() {
      // No closure is returned out of the lock: a generic result wraps it, which allocates on each turn.
      let isOver = state.withLock { state in
        state.left -= 1
        if state.left > 0 {
          state.again?()
          return false
        }
        // What puts the block onto the queue holds the block.
        state.again = nil
        return true
      }
      if isOver { arrived?() }
    }
  }
}

/// Which process of a simulated world a queue or a callback belongs to.
public struct ProcessNumber: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Of what belongs to none.
  public static let common = ProcessNumber(rawValue: 0)
}

extension StackLoop {
  /// In real time there is nothing to wait for.
  public func follow(_ queue: ProgramQueue) {}
  public func unfollow(_ queue: ProgramQueue) {}
}
