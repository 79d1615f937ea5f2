import Foundation

/// Where systemd listens to its services.
struct NotifySocket: Sendable {
  private let path: String

  /// - Parameter path: of a file, or with `@` a name of the kernel's own; `nil` for another.
  init?(_ path: String) {
    guard path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
    self.path = path
  }

  /// Sends a message; drops it where systemd does not listen.
  func send(_ text: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(path.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: path)
      if path.first == UInt8(ascii: "@") { place[0] = 0 }
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count + (path.first == UInt8(ascii: "@") ? 0 : 1))
    let octets = Array(text.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, octets, octets.count, 0, $0, size)
      }
    }
  }
}
