import BLEHCI
import Glibc

/// The address to which a socket is bound or connected.
struct SocketAddress: Sendable {
  private let storage: sockaddr_storage
  let length: socklen_t
  var family: Int32 { Int32(storage.ss_family) }

  /// `nil` if the path is longer than the system allows, or empty.
  init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard !octets.isEmpty, octets.count < room, !octets.contains(0) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
    self.init(copying: &address, socklen_t(MemoryLayout<sockaddr_un>.size))
  }

  /// A numeric address; `localhost` and `_` are the loopback address. `nil` for anything else.
  init?(numericHost host: String, port: UInt16) {
    let host = host == "localhost" || host == "_" ? "127.0.0.1" : host
    guard let found = Self.resolve(host, port, flags: AI_NUMERICHOST).first else { return nil }
    self = found
  }

  private init(copying address: UnsafeRawPointer, _ length: socklen_t) {
    var storage = sockaddr_storage()
    let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count)) }
    self.storage = storage
    self.length = socklen_t(count)
  }

  /// All addresses of a host. Blocks until the answer, except with `AI_NUMERICHOST`.
  static func resolve(_ host: String, _ port: UInt16, flags: Int32 = 0) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = entry.ai_addr { addresses.append(SocketAddress(copying: address, entry.ai_addrlen)) }
      next = entry.ai_next
    }
    return addresses
  }

  /// The address that a socket is bound to.
  init?(boundBy descriptor: FileDescriptor) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor.number, $0, &length) }
    }
    guard result == 0 else { return nil }
    self.init(copying: &storage, length)
  }

  /// `nil` for an address without a port.
  var port: UInt16? {
    withUnsafeBytes(of: storage) { octets in
      guard family == AF_INET || family == AF_INET6 else { return nil }
      return UInt16(octets[2]) << 8 | UInt16(octets[3])
    }
  }

  /// Whether it can be reached from this machine only.
  var isLocal: Bool {
    withUnsafeBytes(of: storage) { octets in
      switch family {
      case AF_UNIX: true
      case AF_INET: octets[4] == 127
      case AF_INET6: octets[8..<23].allSatisfy { $0 == 0 } && octets[23] == 1
      default: false
      }
    }
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// A non-blocking socket for this address; `nil` with `errno`.
  func makeSocket() -> FileDescriptor? {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(family, type, 0)
    guard number >= 0 else { return nil }
    let descriptor = FileDescriptor(number)
    // Each packet is sent at once: waiting to fill a segment would cost a round trip of 40 ms.
    if family != AF_UNIX { descriptor.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
    return descriptor
  }
}
