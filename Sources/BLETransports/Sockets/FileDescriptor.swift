import BLEHCI
import CKernelBluetooth
import Glibc

/// An open file, closed when the last reference is released.
final class FileDescriptor: Sendable {
  let number: Int32

  /// Takes ownership of `number`.
  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  func setNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
  }

  func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The pending error of a socket; 0 for none.
  var pendingError: Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(number, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
  }
}

extension FileDescriptor {
  /// A descriptor that is readable when this socket is, and also when the socket has nothing but an error: libdispatch calls no source for an
  /// error alone, and polls the kernel without a pause. `nil` where the system has no descriptor left.
  var readableWithErrors: FileDescriptor? {
    let watch = kernel_bluetooth_watch_errors(number)
    return watch < 0 ? nil : FileDescriptor(watch)
  }
}

/// The system's text for an error.
func systemText(_ error: Int32) -> String { String(cString: strerror(error)) }

extension TransportError {
  /// The connection to `name` failed.
  static func cannotConnect(_ name: String, _ error: Int32) -> TransportError {
    switch error {
    case EACCES, EPERM:
      TransportError(.notPermitted, "\(name): \(systemText(error)): ask its owner for access")
    case ECONNREFUSED, ENOENT:
      TransportError(.unreachable, "\(name): nothing listens there: start the controller first")
    default:
      TransportError(.unreachable, "\(name): \(systemText(error))")
    }
  }

  static func cannotListen(_ name: String, _ error: Int32) -> TransportError {
    switch error {
    case EADDRINUSE:
      TransportError(.unreachable, "\(name): somebody listens there already: stop that program or choose another place")
    case EACCES, EPERM:
      TransportError(.notPermitted, "\(name): \(systemText(error)): choose a port above 1023 or a folder of your own")
    default:
      TransportError(.unreachable, "\(name): cannot listen: \(systemText(error))")
    }
  }
}
