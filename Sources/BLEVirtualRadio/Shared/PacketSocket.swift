import Glibc

/// A Unix socket that preserves packet boundaries and never blocks (`SOCK_SEQPACKET`).
///
/// Each pair of processes has its own queue: a stopped process fills only its own queues.
final class PacketSocket {
  enum Received {
    case packet([UInt8])
    /// No packet is available now.
    case nothing
    /// The other end has closed the connection.
    case closed
  }

  /// The length of the longest packet; longer ones are dropped.
  static let packetLimit = 16_384

  let descriptor: CInt

  private init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  private static func make() -> PacketSocket? {
    let descriptor = socket(
      AF_UNIX, CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    return descriptor < 0 ? nil : PacketSocket(descriptor: descriptor)
  }

  /// A listening socket at `path`. It is made under another name first: a process that finds it can always connect.
  static func listening(at path: String) throws(SharedAirError) -> PacketSocket {
    let early = path + ".new"
    guard let socket = make() else {
      throw SharedAirError(.socket, "Cannot make a socket: \(Self.reason()).")
    }
    guard let bound = withAddress(early, { bind(socket.descriptor, $0, $1) }) else {
      throw SharedAirError(.socket, "The path \(path) is too long for a socket; choose a shorter name for the air.")
    }
    guard bound == 0, listen(socket.descriptor, 64) == 0, rename(early, path) == 0 else {
      let reason = Self.reason()
      unlink(early)
      throw SharedAirError(.socket, "Cannot listen at \(path): \(reason).")
    }
    return socket
  }

  enum Connected {
    case socket(PacketSocket)
    /// The process that made this name has ended.
    case stale
    /// Too many connections wait there now.
    case busy
    case failed
  }

  static func connected(to path: String) -> Connected {
    guard let socket = make() else { return .failed }
    guard let result = withAddress(path, { connect(socket.descriptor, $0, $1) }) else { return .failed }
    if result == 0 { return .socket(socket) }
    switch errno {
    case ECONNREFUSED: return .stale
    case EAGAIN: return .busy
    default: return .failed
    }
  }

  enum Accepted {
    case socket(PacketSocket)
    /// No connection waits.
    case nothing
    /// Connections wait, and no further file descriptor is available.
    case noDescriptors
  }

  func accepted() -> Accepted {
    while true {
      let other = accept(descriptor, nil, nil)
      if other >= 0 {
        _ = fcntl(other, F_SETFL, O_NONBLOCK)
        _ = fcntl(other, F_SETFD, FD_CLOEXEC)
        return .socket(PacketSocket(descriptor: other))
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .noDescriptors
      default: return .nothing
      }
    }
  }

  /// The process identifier of the other end, as the system reports it; 0 if it does not.
  var peerProcess: pid_t {
    // A `struct ucred` (unix(7)): process, user, group.
    var credentials: [Int32] = [0, 0, 0]
    var length = socklen_t(3 * MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 ? credentials[0] : 0
  }

  /// Sends a packet completely or not at all: if the queue of the other end is full it is lost, as on the air.
  @discardableResult
  func send(_ octets: [UInt8]) -> Bool {
    Glibc.send(descriptor, octets, octets.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
      == octets.count
  }

  func receive(into buffer: inout [UInt8]) -> Received {
    while true {
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT) | CInt(MSG_TRUNC))
      if count > buffer.count { continue }
      if count > 0 { return .packet(Array(buffer[..<count])) }
      if count == 0 { return .closed }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .nothing : .closed
    }
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  /// `nil` if the path is too long.
  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(path.utf8)
    guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
