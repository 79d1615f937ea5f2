import BLESession
import Dispatch

/// Runs `body` on the main queue, after what was put there before; with a delay in seconds if one is given.
func onMain(after seconds: Double? = nil, _ body: @escaping @Sendable @MainActor () -> Void) {
  let work: @Sendable () -> Void = { MainActor.assumeIsolated(body) }
  guard let seconds else { return DispatchQueue.main.async(execute: work) }
  DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: work)
}

/// Hands values to the main queue, those that come meanwhile together: to wake a thread for each of thousands in a second costs more than all that is
/// done with them.
final class MainBatch<Value: Sendable>: Sendable {
  private let waiting = Guarded<[Value]>([])
  private let pause: Double?
  private let take: @Sendable @MainActor ([Value]) -> Void

  /// - Parameters:
  ///   - pause: for how many seconds values are collected; `nil` hands them on as soon as the queue is free.
  ///   - take: called on the main queue with at least one value, in the order in which they were added.
  init(after pause: Double? = nil, _ take: @escaping @Sendable @MainActor ([Value]) -> Void) {
    self.pause = pause
    self.take = take
  }

  func add(_ value: Value) {
    let isFirst = waiting.with { waiting in
      waiting.append(value)
      return waiting.count == 1
    }
    guard isFirst else { return }
    onMain(after: pause) { [self] in
      take(
        waiting.with { waiting in
          defer { waiting = [] }
          return waiting
        })
    }
  }
}
