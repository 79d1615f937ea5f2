import Dispatch
import Glibc

/// Tells when a file of a folder was replaced, by whichever process.
final class BondWatch {
  private let source: any DispatchSourceRead

  /// `nil` where the system does not say; changes are then noticed when the next link comes up.
  init?(folder: String, _ changed: @escaping @Sendable () -> Void) {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if descriptor < 0 { return nil }
    // Files come into the folder whole, by renaming.
    guard inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO)) >= 0 else {
      close(descriptor)
      return nil
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
    source.setEventHandler {
      var events = [UInt8](repeating: 0, count: 4096)
      var isNews = false
      while read(descriptor, &events, events.count) > 0 { isNews = true }
      if isNews { changed() }
    }
    source.setCancelHandler { close(descriptor) }
    source.resume()
  }

  deinit { source.cancel() }
}
