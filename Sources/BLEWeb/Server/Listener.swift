import Glibc

/// A socket that listens for browsers.
struct Listener: Sendable {
  let socket: Int32
  /// The port, also where any was asked for.
  let port: UInt16
  /// The address as it is usually written: browsers send it like this, also where `127.1` was asked for.
  let address: String

  /// - Parameters:
  ///   - address: an IPv4 or IPv6 address in digits.
  ///   - port: 0 for any that is free.
  init(address: String, port: UInt16) throws(WebError) {
    let found = try Self.lookedUp(address, port)
    defer { freeaddrinfo(found) }
    let made = Glibc.socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard made >= 0 else { throw .listen(errno) }
    var on: Int32 = 1
    // What a former server's connections have left does not keep the port. Two servers never have it at the same time.
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(made, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0, listen(made, 512) == 0 else {
      let error = errno
      close(made)
      throw .listen(error)
    }
    var bound = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let port = withUnsafeMutablePointer(to: &bound) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(made, $0, &size) }
      // The port is at the same place in addresses of both families.
      return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
    self.socket = made
    self.port = port
    self.address = Self.text(of: found) ?? address
  }

  /// The address as it is usually written; `nil` for what is no address in digits.
  static func canonical(_ address: String) -> String? {
    guard let found = try? lookedUp(address, 0) else { return nil }
    defer { freeaddrinfo(found) }
    return text(of: found)
  }

  private static func lookedUp(_ address: String, _ port: UInt16) throws(WebError) -> UnsafeMutablePointer<addrinfo> {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    // A C string would end at a 0, and no address would be any address.
    guard !address.isEmpty, !address.utf8.contains(0), getaddrinfo(address, String(port), &hints, &found) == 0,
      let found
    else { throw .address }
    return found
  }

  private static func text(of found: UnsafeMutablePointer<addrinfo>) -> String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let (address, length) = (found.pointee.ai_addr, found.pointee.ai_addrlen)
    guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
