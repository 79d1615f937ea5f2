package import BLECore
internal import Synchronization

extension ProgramQueue {
  /// Passes through a queue of Dispatch's. On a concurrent one it also waits for running blocks.
  package convenience init(_ queue: DispatchQueue) {
    self.init(queue, label: queue.label) { action in
      // Two work items that take turns. One that is enqueued again while its last run is ending may lose libdispatch its reference to the queue:
      // the end of that run gives the reference back which the new run has noted and not taken yet, and the process ends. When one of the two
      // runs, the other's run has ended, as nothing runs beside a barrier.
      nonisolated(unsafe) let even = DispatchWorkItem(flags: .barrier, block: action)
      nonisolated(unsafe) let odd = DispatchWorkItem(flags: .barrier, block: action)
      let isOdd = Atomic(false)
      // From one place at a time.
      return { queue.async(execute: isOdd.logicalXor(true, ordering: .relaxed).oldValue ? odd : even) }
    }
  }
}
