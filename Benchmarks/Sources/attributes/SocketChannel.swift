import BLECore
import BLEHost
import BLEWire
import Glibc

/// The Attribute Protocol's channel on one end of a pair of sockets that keep packets apart: what the kernel's L2CAP gives to BlueZ.
final class SocketChannel: ATTChannel, SocketReader {
  let descriptor: Int32
  let headroom = 0
  let isCongested = false
  /// Closes with the bearer.
  unowned let loop: SocketLoop
  weak var bearer: ATTBearer?
  private var room = [UInt8](repeating: 0, count: ATTLimits.fullValueMTU)

  init(_ descriptor: Int32, on loop: SocketLoop) {
    (self.descriptor, self.loop) = (descriptor, loop)
    loop.watch(self)
  }

  func end() {
    loop.unwatch(self)
    close(descriptor)
  }

  /// The kernel has room for more than the window of a benchmark.
  func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?) {
    let octets = pdu.takeOctets()
    let count = octets.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    precondition(count == octets.count, "the socket does not take a packet")
    if let sent { loop.schedule(after: .zero, .work, sent) }
  }

  func isReadable() {
    guard let bearer else { return }
    while true {
      let count = room.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return }
      bearer.receive(room[0..<count])
    }
  }
}
