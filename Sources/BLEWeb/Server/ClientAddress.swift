import Glibc

/// Who is counted as one client: an IPv4 address, or the 64 bits of an IPv6 address that a household or a machine has.
struct ClientAddress: Hashable, Sendable {
  private let octets: [UInt8]

  init(_ octets: [UInt8] = []) {
    let isMapped = octets.count == 16 && octets.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
    // An IPv4 address on a socket for both families.
    if isMapped { self.octets = Array(octets.suffix(4)) } else { self.octets = Array(octets.prefix(8)) }
  }

  /// `nil` is a client whose address is not known.
  init(_ address: UnsafePointer<sockaddr>?) {
    switch address.map({ Int32($0.pointee.sa_family) }) {
    case AF_INET:
      self.init(Self.octets(of: address, sockaddr_in.self) { withUnsafeBytes(of: $0.sin_addr) { Array($0) } })
    case AF_INET6:
      self.init(Self.octets(of: address, sockaddr_in6.self) { withUnsafeBytes(of: $0.sin6_addr) { Array($0) } })
    default: self.init()
    }
  }

  private static func octets<Address>(
    of address: UnsafePointer<sockaddr>?, _ type: Address.Type, _ body: (Address) -> [UInt8]
  ) -> [UInt8] {
    address.map { body(UnsafeRawPointer($0).load(as: type)) } ?? []
  }
}
