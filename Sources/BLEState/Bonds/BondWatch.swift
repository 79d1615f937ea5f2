import Dispatch
import Glibc

/// Reports when any process has replaced a file of a folder.
final class BondWatch {
  private let source: any DispatchSourceRead

  /// Returns `nil` if the system cannot watch the folder; changes are then noticed when the next link is established.
  init?(folder: String, _ changed: @escaping @Sendable () -> Void) {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if descriptor < 0 { return nil }
    // Files are replaced as a whole, by renaming.
    guard inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO)) >= 0 else {
      close(descriptor)
      return nil
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
    source.setEventHandler {
      var events = [UInt8](repeating: 0, count: 4096)
      var hasChanged = false
      while read(descriptor, &events, events.count) > 0 { hasChanged = true }
      if hasChanged { changed() }
    }
    source.setCancelHandler { close(descriptor) }
    source.resume()
  }

  deinit { source.cancel() }
}
