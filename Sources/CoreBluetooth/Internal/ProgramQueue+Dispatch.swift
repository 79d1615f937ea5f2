package import BLECore
internal import Synchronization

extension ProgramQueue {
  /// Passes through a queue of Dispatch's. On a concurrent one it also waits for running blocks.
  package convenience init(_ queue: DispatchQueue) {
    self.init(queue, label: queue.label) { action in
      // Two work items take turns, so that neither is enqueued while its last run is ending. Then libdispatch would release the queue for the
      // ending run after it had noted the new run's reference and before it had taken it, which ends the process. When one of the two
      // runs, the last run of the other has ended, because nothing runs beside a barrier. Both are immutable and enqueued from one place
      // at a time, which the compiler cannot see.
      nonisolated(unsafe) let even = DispatchWorkItem(flags: .barrier, block: action)
      nonisolated(unsafe) let odd = DispatchWorkItem(flags: .barrier, block: action)
      let isOdd = Atomic(false)
      return { queue.async(execute: isOdd.logicalXor(true, ordering: .relaxed).oldValue ? odd : even) }
    }
  }
}
