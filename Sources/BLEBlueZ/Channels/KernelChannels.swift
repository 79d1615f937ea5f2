import BLEAdapter
import BLECore
import CKernelBluetooth
import Glibc

/// The kernel's own sockets: channels with credit-based flow control on the daemon's links (Core, Vol 3 Part A 10.1). The kernel sends the
/// L2CAP signaling packets, counts credits, and raises the security of a link where one of the two sides requires that.
struct KernelChannels: ChannelSockets {
  /// The longest SDU that this side accepts, in octets. Early kernel versions give the peer credits for one SDU at a time.
  static let receiveLimit = SocketChannel.longestSDU
  private static let backlog: Int32 = 8

  let stopsPeers: Bool

  init() {
    var system = utsname()
    uname(&system)
    let release = withUnsafeBytes(of: &system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    stopsPeers = Self.stopsPeers(release)
  }

  /// From Linux 6.10 on credits depend on the room in the socket's buffer. Earlier kernels always give them, and drop data for which
  /// there is no room.
  static func stopsPeers(_ release: String) -> Bool {
    let parts = release.split(separator: ".", maxSplits: 2).map { Int($0.prefix { $0.isNumber }) ?? 0 }
    guard parts.count >= 2 else { return false }
    return (parts[0], parts[1]) >= (6, 10)
  }

  func connect(
    from own: DeviceAddress, to peer: DeviceAddress, _ multiplexer: ProtocolServiceMultiplexer
  ) throws(SocketError) -> BusDescriptor {
    let socket = try Self.makeSocket(on: own)
    let result = KernelBluetoothChannelAddress(peer, multiplexer).with { Glibc.connect(socket.borrowed, $0, $1) }
    if result != 0, errno != EINPROGRESS { throw SocketError(number: errno) }
    return socket
  }

  func listen(
    on own: DeviceAddress, demand: SecurityDemand
  ) throws(SocketError) -> (socket: BusDescriptor, multiplexer: ProtocolServiceMultiplexer) {
    let socket = try Self.makeSocket(on: own)
    switch demand {
    case .none: break
    case .encryption: try socket.require(UInt8(KERNEL_BLUETOOTH_SECURITY_MEDIUM))
    case .authentication: try socket.require(UInt8(KERNEL_BLUETOOTH_SECURITY_HIGH))
    }
    guard Glibc.listen(socket.borrowed, Self.backlog) == 0 else { throw SocketError(number: errno) }
    var address = KernelBluetoothChannelAddress()
    guard address.fill({ getsockname(socket.borrowed, $0, $1) }) == 0 else { throw SocketError(number: errno) }
    return (socket, ProtocolServiceMultiplexer(UInt16(littleEndian: address.multiplexer)))
  }

  func accept(from listener: BusDescriptor) throws(SocketError) -> (socket: BusDescriptor, peer: DeviceAddress)? {
    var address = KernelBluetoothChannelAddress()
    let number = address.fill { Glibc.accept(listener.borrowed, $0, $1) }
    guard number >= 0 else {
      // A connection that has ended already counts as none.
      if [EAGAIN, EINTR, ECONNABORTED].contains(errno) { return nil }
      throw SocketError(number: errno)
    }
    let socket = BusDescriptor(taking: number)
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return (socket, address.device)
  }

  func sendLimit(of socket: BusDescriptor) -> Int {
    var limit: UInt16 = 0
    var length = socklen_t(MemoryLayout<UInt16>.size)
    let result = getsockopt(
      socket.borrowed, Int32(KERNEL_BLUETOOTH_OPTIONS), Int32(KERNEL_BLUETOOTH_SEND_MTU_OPTION), &limit, &length)
    // The minimum MTU of a peer (Core, Vol 3 Part A 4.22).
    return result == 0 && limit > 0 ? Int(limit) : 23
  }

  /// The kernel reports the free room of the socket's buffer, which equals the buffer when nothing is queued in it.
  func hasSent(_ socket: BusDescriptor) -> Bool {
    // Without credits from the peer the socket can't be written, and data may be queued.
    guard socket.poll(Int32(POLLOUT)) & Int32(POLLOUT) != 0 else { return false }
    var (room, size): (Int32, Int32) = (0, 0)
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard ioctl(socket.borrowed, UInt(TIOCOUTQ), &room) == 0,
      getsockopt(socket.borrowed, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0
    else { return true }
    return room >= size || room == 0
  }

  // MARK: Sockets

  /// A socket bound to an adapter by its address. The kernel assigns it a multiplexer from 0x0080 to 0x00FF, with which peers can open
  /// channels once it listens.
  private static func makeSocket(on own: DeviceAddress) throws(SocketError) -> BusDescriptor {
    let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let number = socket(Int32(KERNEL_BLUETOOTH_FAMILY), kind, Int32(KERNEL_BLUETOOTH_L2CAP_PROTOCOL))
    guard number >= 0 else { throw SocketError(number: errno) }
    let socket = BusDescriptor(taking: number)
    let address = KernelBluetoothChannelAddress(own, ProtocolServiceMultiplexer(0))
    guard address.with({ bind(number, $0, $1) }) == 0 else {
      // Invalid Argument: all multiplexers of the adapter are in use.
      throw SocketError(number: errno == EINVAL ? ENOBUFS : errno)
    }
    // Only a socket that is bound to an LE address has this option.
    var limit = UInt16(receiveLimit)
    guard
      setsockopt(
        number, Int32(KERNEL_BLUETOOTH_OPTIONS), Int32(KERNEL_BLUETOOTH_RECEIVE_MTU_OPTION), &limit,
        socklen_t(MemoryLayout<UInt16>.size)) == 0
    else { throw SocketError(number: errno) }
    return socket
  }
}

extension BusDescriptor {
  fileprivate func require(_ level: UInt8) throws(SocketError) {
    var security = KernelBluetoothSecurity(level: level, key_size: 0)
    let result = setsockopt(
      borrowed, Int32(KERNEL_BLUETOOTH_OPTIONS), Int32(KERNEL_BLUETOOTH_SECURITY_OPTION), &security,
      socklen_t(MemoryLayout<KernelBluetoothSecurity>.size))
    if result != 0 { throw SocketError(number: errno) }
  }
}

extension KernelBluetoothChannelAddress {
  fileprivate init(_ address: DeviceAddress, _ multiplexer: ProtocolServiceMultiplexer) {
    self.init()
    family = UInt16(KERNEL_BLUETOOTH_FAMILY)
    self.multiplexer = multiplexer.rawValue.littleEndian
    withUnsafeMutableBytes(of: &octets) { $0.copyBytes(from: address.octets) }
    kind = UInt8(address.kind == .random ? KERNEL_BLUETOOTH_LE_RANDOM : KERNEL_BLUETOOTH_LE_PUBLIC)
  }

  fileprivate var device: DeviceAddress {
    withUnsafeBytes(of: octets) { octets in
      DeviceAddress(octets: octets, kind: Int(kind) == Int(KERNEL_BLUETOOTH_LE_RANDOM) ? .random : .public)
    }
  }

  fileprivate func with(_ use: (UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
    withUnsafeBytes(of: self) { octets in
      use(octets.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(octets.count))
    }
  }

  /// Calls `write`, which stores an address, and keeps that.
  fileprivate mutating func fill(
    _ write: (UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int32 {
    withUnsafeMutableBytes(of: &self) { octets in
      var length = socklen_t(octets.count)
      return write(octets.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
    }
  }
}
