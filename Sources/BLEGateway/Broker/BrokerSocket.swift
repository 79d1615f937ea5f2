import Foundation

/// Waits on a queue for libmosquitto's socket, and measures how long the packet is that is being read.
///
/// It has a duplicate of the descriptor: libmosquitto closes its own at any time, and a number that is used again must not be waited for.
final class BrokerSocket {
  var onReadable: (() -> Void)?
  var onWritable: (() -> Void)?
  private let descriptor: Int32
  private let queue: DispatchQueue
  private let wait: SocketWait
  private var waitsToWrite = false
  private var isClosed = false
  /// How many octets had been taken off the socket when the last packet was complete.
  private var complete: UInt64 = 0

  init?(_ socket: Int32, on queue: DispatchQueue) {
    descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    guard let wait = SocketWait(owning: descriptor) else { return nil }
    (self.queue, self.wait) = (queue, wait)
    // Little is read at a time, so that a packet that is too long is seen early.
    var size: Int32 = 65_536
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close() }

  func start() {
    let (queue, here) = (queue, Reference(socket: self))
    wait.start { possible in queue.async { here.socket?.take(possible) } }
    wait.want(SocketWait.readable)
  }

  private func take(_ possible: Int16) {
    if possible & SocketWait.readable != 0, !isClosed {
      onReadable?()
      if !isClosed { wait.want(SocketWait.readable) }
    }
    if possible & SocketWait.writable != 0, !isClosed, waitsToWrite {
      onWritable?()
      if !isClosed, waitsToWrite { wait.want(SocketWait.writable) }
    }
  }

  /// A writable socket is of interest only while something waits for it.
  func waitsToWrite(_ waits: Bool) {
    guard !isClosed, waits != waitsToWrite else { return }
    waitsToWrite = waits
    if waits { wait.want(SocketWait.writable) }
  }

  func close() {
    if isClosed { return }
    isClosed = true
    // The link ends now, also for the other side: the duplicate is closed a little later.
    shutdown(descriptor, Int32(SHUT_RDWR))
    wait.end()
  }

  // MARK: Lengths

  func notePacket() { complete = taken ?? complete }

  /// Whether the packet that is being read is longer than so many octets already.
  func isTooLong(_ limit: Int) -> Bool {
    guard let taken, taken > complete else { return false }
    return taken - complete > UInt64(limit)
  }

  /// Whether a packet that waits to be read says that it is longer than so many octets. Only for links that are not encrypted.
  func announcesTooLong(_ limit: Int) -> Bool {
    // Within a packet the next octets are no beginning of one.
    guard let taken, taken == complete else { return false }
    var waiting = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &waiting, waiting.count, Int32(MSG_PEEK | MSG_DONTWAIT))
    var rest = waiting.prefix(max(0, count))[...]
    while rest.count >= 2 {
      // MQTT 5.0, chapter 1.5.5: seven bits in each octet, the least significant first.
      var (length, used) = (0, 1)
      for octet in rest.dropFirst().prefix(4) {
        length |= Int(octet & 0x7F) << (7 * (used - 1))
        used += 1
        if octet & 0x80 == 0 { break }
      }
      if length > limit { return true }
      rest = rest.dropFirst(used + length)
    }
    return false
  }

  /// Where the kernel's `struct tcp_info` has `tcpi_bytes_received`, which glibc's ends before.
  private static let receivedPlace = 128

  /// The octets that were taken off the socket, encrypted ones where the link is.
  private var taken: UInt64? {
    var facts = [UInt8](repeating: 0, count: Self.receivedPlace + 8)
    var size = socklen_t(facts.count)
    var waiting: Int32 = 0
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &facts, &size) == 0, size == facts.count,
      ioctl(descriptor, UInt(FIONREAD), &waiting) == 0
    else { return nil }
    let received = facts.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Self.receivedPlace, as: UInt64.self) }
    return received &- UInt64(max(0, waiting))
  }
}

/// `@unchecked Sendable`: the socket is used on its queue only.
private struct Reference: @unchecked Sendable {
  weak var socket: BrokerSocket?
}
