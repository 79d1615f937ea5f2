import BLECore
import Dispatch

extension World {
  /// The world waits for what is put onto `queue` as well, as it does for the queues of its managers: for an app that works on a
  /// queue of its own between its callbacks and its calls. For an app that hands its results to the main queue, `follow(.main)`.
  ///
  /// Where no thread runs the queue, as where a test blocks the main thread, each run waits for it in vain for a while.
  public func follow(_ queue: DispatchQueue) {
    let programQueue = ProgramQueue(queue, label: queue.label) { action in
      // Never changed, and put onto its queue from one place at a time.
      nonisolated(unsafe) let block = DispatchWorkItem(flags: .barrier, block: action)
      return { queue.async(execute: block) }
    }
    loop.follow(programQueue)
  }
}
