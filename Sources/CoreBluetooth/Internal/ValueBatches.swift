internal import Synchronization

/// Values on their way from a program to the loop: updates of a peripheral manager, writes without response of a central manager.
///
/// Values that a program sends one after another go together, their octets one behind another: one job and one piece of memory for all of
/// them. Anything else that it asks its manager for ends the batch, and so keeps its place between them.
final class ValueBatches<Destination: Sendable>: Sendable {
  struct Batch {
    struct Entry {
      let destination: Destination
      /// Where its octets end, which begin with the end of those before.
      let end: Int
    }

    fileprivate(set) var octets: [UInt8] = []
    fileprivate(set) var entries: [Entry] = []
  }

  // Not private: see `SendWindow`.
  struct State {
    /// Oldest first.
    var waiting: [Batch] = []
    /// Whether the last one takes further values.
    var isOpen = false
    /// The memory of a batch that was sent, for the next one.
    var spare = Batch()
  }

  private let state = Mutex(State())
  /// The most octets whose memory is kept: of as many values as a window has places, each of the longest that an attribute has.
  private static var spareLimit: Int { SendWindow.capacity * 512 }

  /// Adds the first `length` octets of a value.
  /// - Parameter submit: submits a job that passes a batch on; called if they begin one. Under the lock: what another thread asks for
  ///   behind a value of its own, which may be in this batch too, must not be submitted before it.
  func add(_ value: Data, length: Int, for destination: Destination, submit: () -> Void) {
    state.withLock { state in
      let isNew = !state.isOpen || state.waiting.isEmpty
      if isNew {
        state.waiting.append(state.spare)
        state.spare = Batch()
        state.isOpen = true
      }
      let last = state.waiting.count - 1
      value.withUnsafeBytes { octets in
        state.waiting[last].octets.append(contentsOf: UnsafeRawBufferPointer(rebasing: octets.prefix(length)))
      }
      state.waiting[last].entries.append(
        Batch.Entry(destination: destination, end: state.waiting[last].octets.count))
      if isNew { submit() }
    }
  }

  /// Later values begin a batch of their own.
  func endBatch() { state.withLock { $0.isOpen = false } }

  /// Takes the oldest batch, and passes each of its values on. On the loop.
  func passOn(_ body: (ArraySlice<UInt8>, Destination) -> Void) {
    var batch = state.withLock { state in state.waiting.isEmpty ? Batch() : state.waiting.removeFirst() }
    var start = 0
    for entry in batch.entries {
      body(batch.octets[start..<entry.end], entry.destination)
      start = entry.end
    }
    // Its memory is kept, unless a program has sent values much longer than any link carries.
    batch.octets.removeAll(keepingCapacity: batch.octets.count <= Self.spareLimit)
    batch.entries.removeAll(keepingCapacity: batch.entries.count <= SendWindow.limit)
    let emptied = batch
    state.withLock { $0.spare = emptied }
  }
}
