import BLECore
import Dispatch

/// A block for a queue outside of the loop. The clock of a simulated loop waits for it.
final class QueuedCall: CallbackDelivery {
  private let queue: DispatchQueue
  private let body: @Sendable () -> Void

  init(queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    self.queue = queue
    self.body = body
  }

  func dispatch(finished: @escaping @Sendable () -> Void) {
    queue.async { [body] in
      body()
      finished()
    }
  }
}

/// A serial queue for work on files, which may wait for the disk and for other processes without blocking the loop.
package struct FileQueue {
  private let loop: any StackLoop
  private let origin: JobOrigin
  package let queue: DispatchQueue

  package init(loop: any StackLoop, origin: JobOrigin, label: String) {
    self.loop = loop
    self.origin = origin
    queue = DispatchQueue(label: label)
  }

  /// Performs `work` on the queue, and calls `completion` with its result on the loop. On the loop.
  package func perform<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, _ completion: @escaping (Result) -> Void = { _ in }
  ) {
    let bound = LoopBound(completion)
    let (loop, origin) = (loop, origin)
    loop.deliver(
      QueuedCall(queue: queue) {
        let result = work()
        loop.submit(from: origin) { bound.value(result) }
      })
  }

  /// Returns when all work so far is done. Not on the loop.
  package func wait() { queue.sync {} }
}
