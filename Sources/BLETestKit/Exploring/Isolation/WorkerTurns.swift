import Glibc
import Synchronization

/// As many workers of this process run at a time as there are processors, whatever the number of explorations: tests run at the same
/// time, and each exploration has workers of its own.
final class WorkerTurns: Sendable {
  static let shared = WorkerTurns()

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State(free: WorkerTurns.processors))

  /// The number of processors that are on.
  static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Waits for a turn, in the order of the calls. `end` has to follow.
  func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
