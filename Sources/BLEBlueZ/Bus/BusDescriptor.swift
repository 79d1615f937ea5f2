import Glibc
import Synchronization

/// A file descriptor passed over the bus. It is closed when the last reference is released, unless `take()` was called, so that a
/// descriptor which the daemon sends where none was expected does not stay open.
final class BusDescriptor: Hashable, Sendable {
  private let number: Atomic<Int32>

  /// Takes ownership of `descriptor`, an open one.
  init(taking descriptor: Int32) { number = Atomic(descriptor) }

  /// A duplicate of `descriptor`, which stays the caller's. `nil` where the process has no descriptor left.
  convenience init?(duplicating descriptor: Int32) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    if copy < 0 { return nil }
    self.init(taking: copy)
  }

  deinit {
    let descriptor = number.load(ordering: .relaxed)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Transfers ownership of the descriptor to the caller, who closes it. `nil` the second time.
  func take() -> Int32? {
    let descriptor = number.exchange(-1, ordering: .relaxed)
    return descriptor < 0 ? nil : descriptor
  }

  /// The descriptor, still owned by this object; -1 after `take()`.
  var borrowed: Int32 { number.load(ordering: .relaxed) }

  static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
