internal import BLEAdapter
internal import Synchronization

/// The send window of a manager's updates, shared by its program and its session, and the updates on their way from one to the other.
///
/// Updates that a program makes one after another go together, their octets one behind another: one job and one piece of memory for all of
/// them. Anything else that it asks for ends the batch, and so keeps its place between them.
final class UpdateWindow: Sendable {
  let places = SendWindow()

  struct Batch {
    struct Update {
      let characteristic: LocalCharacteristicIdentifier
      let centrals: [PeerIdentifier]?
      /// Where its octets end, which begin with the end of those before.
      let end: Int
    }

    fileprivate(set) var octets: [UInt8] = []
    fileprivate(set) var updates: [Update] = []
  }

  // Not private: see `SendWindow`.
  struct State {
    /// Oldest first.
    var waiting: [Batch] = []
    /// Whether the last one takes further updates.
    var isOpen = false
    /// The memory of a batch that was sent, for the next one.
    var spare = Batch()
  }

  private let state = Mutex(State())
  /// The most octets whose memory is kept: of as many values as the window has places, each of the longest that an attribute has.
  private static let spareLimit = SendWindow.capacity * 512

  /// Adds an update.
  /// - Returns: whether it begins a batch, for which the caller has to submit a job that takes it.
  func add(
    _ value: Data, of characteristic: LocalCharacteristicIdentifier, to centrals: [PeerIdentifier]?
  ) -> Bool {
    state.withLock { state in
      let isNew = !state.isOpen || state.waiting.isEmpty
      if isNew {
        state.waiting.append(state.spare)
        state.spare = Batch()
        state.isOpen = true
      }
      let last = state.waiting.count - 1
      value.withUnsafeBytes { state.waiting[last].octets.append(contentsOf: $0) }
      state.waiting[last].updates.append(
        Batch.Update(characteristic: characteristic, centrals: centrals, end: state.waiting[last].octets.count))
      return isNew
    }
  }

  /// Later updates begin a batch of their own.
  func endBatch() { state.withLock { $0.isOpen = false } }

  /// Takes the oldest batch.
  func takeBatch() -> Batch {
    state.withLock { state in state.waiting.isEmpty ? Batch() : state.waiting.removeFirst() }
  }

  /// Keeps the memory of a batch, unless a program has sent values much longer than any link carries.
  func reuse(_ batch: consuming Batch) {
    batch.octets.removeAll(keepingCapacity: batch.octets.count <= Self.spareLimit)
    batch.updates.removeAll(keepingCapacity: true)
    let emptied = batch
    state.withLock { $0.spare = emptied }
  }
}
