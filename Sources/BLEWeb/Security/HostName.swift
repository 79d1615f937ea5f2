import Glibc

/// Names of this machine.
enum HostName {
  /// Letters, digits, hyphens, underscores and dots, 253 at the most.
  static func isValid(_ name: String) -> Bool {
    let isEmptyLabel = name.split(separator: ".", omittingEmptySubsequences: false).contains { $0.isEmpty }
    return !isEmptyLabel && name.utf8.count <= 253
      && name.utf8.allSatisfy { octet in
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// The name of this machine; `nil` where it has none that could be one on the network.
  static var own: String? {
    var text = [CChar](repeating: 0, count: 256)
    guard gethostname(&text, text.count - 1) == 0 else { return nil }
    let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
    return isValid(name) ? name : nil
  }

  /// The addresses on which a server is reached that listens on `address`: for `0.0.0.0` and `::` all of this machine.
  static func addresses(of address: String) -> [String] {
    guard address == "0.0.0.0" || address == "::" else { return [address] }
    var found: Set<String> = []
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var next = first
    while let one = next {
      next = one.pointee.ifa_next
      guard let socket = one.pointee.ifa_addr else { continue }
      let family = Int32(socket.pointee.sa_family)
      // A browser cannot open a link-local address, which needs a zone.
      guard family == AF_INET || family == AF_INET6 && address == "::", let text = text(of: socket, family),
        !text.contains("%")
      else { continue }
      found.insert(text)
    }
    return found.sorted()
  }

  private static func text(of socket: UnsafeMutablePointer<sockaddr>, _ family: Int32) -> String? {
    let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(socket, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
      return nil
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
