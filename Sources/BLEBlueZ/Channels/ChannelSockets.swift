import BLEAdapter
import BLECore
import Glibc

/// The sockets that carry L2CAP channels; tests substitute their own. On the loop, and nothing blocks it: every socket is non-blocking and
/// carries packets (SOCK_SEQPACKET), one for each SDU.
protocol ChannelSockets: Sendable {
  /// Whether flow control stops a peer while its data is not read.
  var stopsPeers: Bool { get }
  /// Starts to open a channel. It is open once the socket can be written; one that has failed hangs up, and has an error.
  func connect(
    from own: DeviceAddress, to peer: DeviceAddress, _ multiplexer: ProtocolServiceMultiplexer
  ) throws(SocketError) -> BusDescriptor
  /// Listens for peers, with a multiplexer that the implementation chooses.
  func listen(
    on own: DeviceAddress, demand: SecurityDemand
  ) throws(SocketError) -> (socket: BusDescriptor, multiplexer: ProtocolServiceMultiplexer)
  /// Accepts a channel that a peer has opened; `nil` where none is pending.
  func accept(from listener: BusDescriptor) throws(SocketError) -> (socket: BusDescriptor, peer: DeviceAddress)?
  /// The longest SDU that the peer accepts, in octets.
  func sendLimit(of socket: BusDescriptor) -> Int
  /// Whether all that was written to it has left for the controller.
  func hasSent(_ socket: BusDescriptor) -> Bool
}

/// A system error of a socket.
struct SocketError: Error, Hashable, CustomStringConvertible {
  let number: Int32
  var description: String { String(cString: strerror(number)) }
}

extension BusDescriptor {
  /// The current `poll(2)` events of a socket.
  func poll(_ wanted: Int32 = 0) -> Int32 {
    var state = pollfd(fd: borrowed, events: Int16(truncatingIfNeeded: wanted), revents: 0)
    return Glibc.poll(&state, 1, 0) > 0 ? Int32(state.revents) : 0
  }

  /// Whether no data will arrive beyond what can be read already.
  var hasHungUp: Bool { poll() & Int32(POLLHUP | POLLERR | POLLNVAL) != 0 }

  /// Reads and clears the pending error of a socket; 0 for none.
  func takeError() -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(borrowed, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
  }

  /// Closes the socket immediately, even while other references exist.
  func closeNow() {
    if let number = take() { close(number) }
  }
}

// Mapping of errors.

extension OperationError {
  /// Why no channel was opened. The kernel does not say which L2CAP result the peer has sent.
  init(openingChannel error: SocketError) {
    switch error.number {
    // The most frequent cause: no channel is published with that multiplexer.
    case ECONNREFUSED: self = .channelRefused(code: 0x0002)
    // The pairing that the peer required has failed.
    case EACCES: self = .channelRefused(code: 0x0005)
    case EBUSY, ENOMEM, ENOBUFS, EMFILE, ENFILE: self = .channelRefused(code: 0x0004)
    case ETIMEDOUT: self = .timedOut
    case ENOTCONN, ECONNRESET, ECONNABORTED, EPIPE, EHOSTUNREACH, EHOSTDOWN, ENETDOWN, ENODEV: self = .notConnected
    default: self = .notSupported(error.channelAdvice)
    }
  }
}

extension SocketError {
  /// What is wrong where the kernel gives this program no socket for channels, and the remedy.
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
  /// Why a channel has ended, from the error of its socket.
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
