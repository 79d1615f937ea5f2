import BLECore
import Dispatch

/// One block on its way to a queue outside of the loop, for which a simulated loop's clock waits.
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

/// Work on files, one piece after another, on a queue of its own: it may wait for the disk and for other processes, and the loop
/// waits for none of it.
struct FileQueue {
  let loop: any StackLoop
  let origin: JobOrigin
  let queue: DispatchQueue

  init(loop: any StackLoop, origin: JobOrigin, label: String) {
    self.loop = loop
    self.origin = origin
    queue = DispatchQueue(label: label)
  }

  /// On the loop. `completion` is called there with what came of the work.
  func perform<Result: Sendable>(
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

  /// Returns when everything that was begun is done. Not on the loop.
  func wait() { queue.sync {} }
}
