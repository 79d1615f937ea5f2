import Dispatch

/// Tells when a socket can be read, or written while somebody waits for that.
///
/// It watches a duplicate: a source must never be left with a number that somebody else has got in the meantime.
final class DescriptorWatch {
  /// The descriptor that this is a watch of.
  let original: Int32
  private let read: any DispatchSourceRead
  private let write: any DispatchSourceWrite
  private var isReadSuspended = false
  private var isWriteSuspended = true

  /// `nil` where the system has no descriptor left. `ready` is called on `queue`.
  init?(of descriptor: Int32, on queue: DispatchQueue, _ ready: @escaping @Sendable () -> Void) {
    guard let duplicate = BusDescriptor(duplicating: descriptor) else { return nil }
    original = descriptor
    read = DispatchSource.makeReadSource(fileDescriptor: duplicate.borrowed, queue: queue)
    write = DispatchSource.makeWriteSource(fileDescriptor: duplicate.borrowed, queue: queue)
    // The last of the two that has ended lets go of the duplicate.
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

  /// Whether to tell when it can be read, which is so at first.
  func watchReads(_ isWanted: Bool) {
    guard isWanted == isReadSuspended else { return }
    if isWanted { read.resume() } else { read.suspend() }
    isReadSuspended = !isWanted
  }

  /// Whether to tell when it can be written.
  func watchWrites(_ isWanted: Bool) {
    guard isWanted == isWriteSuspended else { return }
    if isWanted { write.resume() } else { write.suspend() }
    isWriteSuspended = !isWanted
  }
}
