import Glibc
import Synchronization

/// A file descriptor that travels over the bus. It is closed with the last value that holds it, unless somebody took it: what a
/// daemon sends where no descriptor was expected thereby leaves none open.
final class BusDescriptor: Hashable, Sendable {
  private let number: Atomic<Int32>

  /// Takes over `descriptor`, an open one.
  init(taking descriptor: Int32) { number = Atomic(descriptor) }

  /// A second descriptor of the same open file; `descriptor` stays the caller's. `nil` where the system has none left.
  convenience init?(duplicating descriptor: Int32) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    if copy < 0 { return nil }
    self.init(taking: copy)
  }

  deinit {
    let descriptor = number.load(ordering: .relaxed)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Hands the descriptor over: the caller closes it. `nil` the second time.
  func take() -> Int32? {
    let descriptor = number.exchange(-1, ordering: .relaxed)
    return descriptor < 0 ? nil : descriptor
  }

  /// What is sent; -1 once it was taken.
  var borrowed: Int32 { number.load(ordering: .relaxed) }

  static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
