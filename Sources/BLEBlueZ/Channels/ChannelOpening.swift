import BLECore
import BLEHCI
import Glibc

/// A channel that is being opened: waits until the peer has answered on its socket. On the loop.
///
/// The kernel waits up to 40 s for the answer, and lets the daemon pair where the peer requires that.
final class ChannelOpening {
  private static let limit = StackDuration.seconds(90)

  private let socket: BusDescriptor
  private let loop: DispatchStackLoop
  private var watch: DescriptorWatch?
  private var timer = TimerToken()
  private var completion: ((Result<BusDescriptor, SocketError>) -> Void)?

  /// - Parameter completion: called once, never inside this call; not called where this is released before.
  init(
    _ socket: BusDescriptor, on loop: DispatchStackLoop,
    _ completion: @escaping (Result<BusDescriptor, SocketError>) -> Void
  ) {
    self.socket = socket
    self.loop = loop
    self.completion = completion
    let bound = LoopBound(Weak(opening: self))
    watch = DescriptorWatch(of: socket.borrowed, on: loop.queue) { bound.value.opening?.look() }
    watch?.watchWrites(true)
    let hasWatch = watch != nil
    timer = loop.schedule(after: hasWatch ? Self.limit : .zero, .background) {
      bound.value.opening?.finish(.failure(SocketError(number: hasWatch ? ETIMEDOUT : EMFILE)))
    }
  }

  deinit { if completion != nil { socket.closeNow() } }

  private func look() {
    let state = socket.poll(Int32(POLLOUT))
    if state & Int32(POLLERR | POLLHUP) != 0 {
      let error = socket.takeError()
      finish(.failure(SocketError(number: error == 0 ? ECONNRESET : error)))
    } else if state & Int32(POLLOUT) != 0 {
      finish(.success(socket))
    }
  }

  private func finish(_ result: Result<BusDescriptor, SocketError>) {
    guard let completion else { return }
    self.completion = nil
    watch = nil
    loop.cancel(timer)
    if case .failure = result { socket.closeNow() }
    completion(result)
  }

  private struct Weak {
    weak var opening: ChannelOpening?
  }
}
