import Dispatch

/// Calls a handler when a socket can be read or, where that is enabled, written.
///
/// It watches a duplicate: the number of the original could be reused for another file while a Dispatch source still has it.
final class DescriptorWatch {
  /// The descriptor of which this watches a duplicate.
  let original: Int32
  private let read: any DispatchSourceRead
  private let write: any DispatchSourceWrite
  private var isReadSuspended = false
  private var isWriteSuspended = true

  /// `nil` where the process has no descriptor left. `ready` is called on `queue`.
  init?(of descriptor: Int32, on queue: DispatchQueue, _ ready: @escaping @Sendable () -> Void) {
    guard let duplicate = BusDescriptor(duplicating: descriptor) else { return nil }
    original = descriptor
    read = DispatchSource.makeReadSource(fileDescriptor: duplicate.borrowed, queue: queue)
    write = DispatchSource.makeWriteSource(fileDescriptor: duplicate.borrowed, queue: queue)
    // The cancel handler that runs last releases the duplicate.
    for source in [read, write] as [any DispatchSourceProtocol] {
      source.setEventHandler(handler: ready)
      source.setCancelHandler { _ = duplicate }
    }
    read.resume()
  }

  deinit {
    read.cancel()
    write.cancel()
    if isReadSuspended { read.resume() }
    if isWriteSuspended { write.resume() }
  }

  /// Sets whether `ready` is called when the socket can be read, which is so initially.
  func watchReads(_ isWanted: Bool) {
    guard isWanted == isReadSuspended else { return }
    if isWanted { read.resume() } else { read.suspend() }
    isReadSuspended = !isWanted
  }

  /// Sets whether `ready` is called when the socket can be written.
  func watchWrites(_ isWanted: Bool) {
    guard isWanted == isWriteSuspended else { return }
    if isWanted { write.resume() } else { write.suspend() }
    isWriteSuspended = !isWanted
  }
}
