import Foundation
import Testing

/// The socket on which systemd, or its journal, would listen.
final class DatagramListener: Sendable {
  let path = "/tmp/ble-listener-\(UInt64.random(in: .min ... .max))"
  let socket: Int32

  init() throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
  }

  deinit {
    close(socket)
    unlink(path)
  }
}
