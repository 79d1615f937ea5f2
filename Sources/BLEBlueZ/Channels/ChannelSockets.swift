import BLEAdapter
import BLECore
import Glibc

/// The sockets that L2CAP channels are made of; tests bring others than the kernel's. On the loop, and nothing makes it wait: every socket
/// is non-blocking and carries packets (SOCK_SEQPACKET), one for each SDU.
protocol ChannelSockets: Sendable {
  /// Whether a peer is stopped while nobody reads what it has sent.
  var stopsPeers: Bool { get }
  /// Begins to open a channel. Once the socket can be written it is open; one that has failed hangs up, and has an error.
  func connect(
    from own: DeviceAddress, to peer: DeviceAddress, _ multiplexer: ProtocolServiceMultiplexer
  ) throws(SocketError) -> BusDescriptor
  /// Waits for peers, by a number that is chosen for it.
  func listen(
    on own: DeviceAddress, demand: SecurityDemand
  ) throws(SocketError) -> (socket: BusDescriptor, multiplexer: ProtocolServiceMultiplexer)
  /// A channel that a peer has opened; `nil` where none waits.
  func accept(from listener: BusDescriptor) throws(SocketError) -> (socket: BusDescriptor, peer: DeviceAddress)?
  /// The longest SDU that the peer takes, in octets.
  func sendLimit(of socket: BusDescriptor) -> Int
  /// Whether all that was written to it has left for the controller.
  func hasSent(_ socket: BusDescriptor) -> Bool
}

/// An error of the system about a socket.
struct SocketError: Error, Hashable, CustomStringConvertible {
  let number: Int32
  var description: String { String(cString: strerror(number)) }
}

extension BusDescriptor {
  /// What is the case with a socket now, of what `poll(2)` tells.
  func poll(_ wanted: Int32 = 0) -> Int32 {
    var state = pollfd(fd: borrowed, events: Int16(truncatingIfNeeded: wanted), revents: 0)
    return Glibc.poll(&state, 1, 0) > 0 ? Int32(state.revents) : 0
  }

  /// Whether nothing more will come than what has come already.
  var hasHungUp: Bool { poll() & Int32(POLLHUP | POLLERR | POLLNVAL) != 0 }

  /// The error that waits on a socket, which it then has no more; 0 for none.
  func takeError() -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(borrowed, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
  }

  /// Closes it at once, whoever else holds this.
  func closeNow() {
    if let number = take() { close(number) }
  }
}

// What the errors mean.

extension OperationError {
  /// Why no channel came about. The kernel does not say which of L2CAP's results the peer has given.
  init(openingChannel error: SocketError) {
    switch error.number {
    // The most frequent: nobody has published that number.
    case ECONNREFUSED: self = .channelRefused(code: 0x0002)
    // The pairing that the peer wanted did not succeed.
    case EACCES: self = .channelRefused(code: 0x0005)
    case EBUSY, ENOMEM, ENOBUFS, EMFILE, ENFILE: self = .channelRefused(code: 0x0004)
    case ETIMEDOUT: self = .timedOut
    case ENOTCONN, ECONNRESET, ECONNABORTED, EPIPE, EHOSTUNREACH, EHOSTDOWN, ENETDOWN, ENODEV: self = .notConnected
    default: self = .notSupported(error.channelAdvice)
    }
  }
}

extension SocketError {
  /// What is wrong where the kernel gives this program no socket for channels, and what helps.
  var channelAdvice: String {
    let text = "the kernel opens no L2CAP channels for this program (\(self))"
    return switch number {
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
      "\(text): load Bluetooth (sudo modprobe bluetooth); in a container share the machine's network (--net=host); in a systemd "
        + "unit let RestrictAddressFamilies= have AF_BLUETOOTH"
    case EPERM, EACCES: "\(text): the container or the service has to allow Bluetooth sockets"
    default: text
    }
  }
}

extension EndReason {
  /// Why a channel has ended, by the error of its socket.
  init(endOfChannel error: SocketError?) {
    switch error?.number {
    case nil, ECONNRESET, EPIPE: self = .closedByPeer
    // This side has ended the link.
    case ECONNABORTED, ENOTCONN: self = .requested
    case ENETDOWN, ENODEV, EHOSTDOWN: self = .poweredOff
    default: self = .lost
    }
  }
}
