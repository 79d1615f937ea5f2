import BLECore
import BLEHCI
import Dispatch
import Glibc

/// A socket file by which a program reports about itself: each client receives one text, then the end of the stream. Only the
/// owner may access the file, and its folder should be private too.
///
/// `@unchecked Sendable`: the state is used on the queue only.
package final class AnswerSocket: @unchecked Sendable {
  /// The maximum number of answers that are made at a time; further clients receive none.
  private static let limit = 16

  private let queue: DispatchQueue
  private let makeAnswer: @Sendable (_ answer: @escaping @Sendable ([UInt8]) -> Void) -> Void
  private var listener: StreamListener?
  private var underWay = 0

  /// - Parameters:
  ///   - queue: a serial one.
  ///   - makeAnswer: calls its argument once, from any thread, with at most 64 KiB.
  package init(
    path: String, on queue: DispatchQueue,
    _ makeAnswer: @escaping @Sendable (_ answer: @escaping @Sendable ([UInt8]) -> Void) -> Void
  ) throws(TransportError) {
    self.queue = queue
    self.makeAnswer = makeAnswer
    listener = try StreamListener(path: path, on: queue) { [weak self] in self?.accepted($0) }
  }

  /// Removes the file. From any thread but the queue's.
  package func close() {
    queue.sync {
      listener?.close()
      listener = nil
    }
  }

  private func accepted(_ peer: FileDescriptor) {
    guard underWay < Self.limit else { return }
    underWay += 1
    makeAnswer { octets in
      self.queue.async {
        self.underWay -= 1
        // It fits into the socket's buffer: a client that does not read blocks nothing.
        _ = octets.withUnsafeBytes { send(peer.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      }
    }
  }

  /// A program that has been asked. Several can be asked before the first answer is read, so that one that does not answer delays no other.
  package struct Question: Sendable {
    /// The program's process identifier: 0 if that is in another container, or if the program is too busy to be asked.
    package let process: Int32
    fileprivate let socket: FileDescriptor?

    /// Waits for the answer; what has arrived by the deadline is read also after it.
    /// - Parameter limit: the maximum number of octets of an answer.
    /// - Returns: `nil` if the answer does not arrive in time, or is longer.
    package func answer(limit: Int, until deadline: ContinuousClock.Instant) -> [UInt8]? {
      socket.flatMap { AnswerSocket.read($0, limit, deadline) }
    }
  }

  /// Asks the program at a socket file. `nil` if no program of this user listens there.
  package static func ask(_ path: String) -> Question? {
    guard let address = SocketAddress(path: path), let socket = address.makeSocket() else { return nil }
    let result = address.withPointer { connect(socket.number, $0, $1) }
    // The program is running, and busy.
    if result != 0 { return errno == EAGAIN ? Question(process: 0, socket: nil) : nil }
    // Process, user and group at the other end (unix(7), SO_PEERCRED).
    var peer: [UInt32] = [0, 0, 0]
    var length = socklen_t(12)
    guard getsockopt(socket.number, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0, peer[1] == geteuid() else {
      return nil
    }
    return Question(process: Int32(bitPattern: peer[0]), socket: socket)
  }

  fileprivate static func read(
    _ socket: FileDescriptor, _ limit: Int, _ deadline: ContinuousClock.Instant
  ) -> [UInt8]? {
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while octets.count <= limit {
      let left = max(0, (deadline - .now) / .milliseconds(1))
      var readable = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
      let ready = poll(&readable, 1, Int32(min(left.rounded(.up), 10_000)))
      if ready < 0, errno == EINTR { continue }
      guard ready == 1 else { return nil }
      let count = Glibc.read(socket.number, &buffer, buffer.count)
      if count == 0 { return octets }
      guard count > 0 else { return nil }
      octets += buffer[..<count]
    }
    return nil
  }
}
