import BLEAdapter
import BLECore
import BLEHCI
import Glibc

/// A multiplexer with which centrals open channels to a peripheral of the process, with its listening socket. On the loop, published for
/// as long as this is kept.
final class PublishedChannel {
  /// How many channels are accepted before other jobs of the loop run.
  private static let turn = 8
  /// The pause where the process has no descriptor left; the next channel stays pending meanwhile.
  private static let retryDelay = StackDuration.seconds(1)

  let multiplexer: ProtocolServiceMultiplexer
  /// The security that a central's link must have.
  let demand: SecurityDemand
  private let listener: BusDescriptor
  private let sockets: any ChannelSockets
  private let loop: DispatchStackLoop
  private var watch: DescriptorWatch?
  private let opened: (BusDescriptor, DeviceAddress) -> Void

  /// - Parameter opened: called with the socket of each channel and the address of the peer that opened it.
  init(
    _ listener: BusDescriptor, _ multiplexer: ProtocolServiceMultiplexer, demand: SecurityDemand,
    of sockets: any ChannelSockets, on loop: DispatchStackLoop, opened: @escaping (BusDescriptor, DeviceAddress) -> Void
  ) throws(SocketError) {
    self.multiplexer = multiplexer
    self.demand = demand
    self.listener = listener
    self.sockets = sockets
    self.loop = loop
    self.opened = opened
    let bound = LoopBound(Weak(published: self))
    watch = DescriptorWatch(of: listener.borrowed, on: loop.queue) { bound.value.published?.accept() }
    if watch == nil { throw SocketError(number: EMFILE) }
  }

  deinit { close() }

  /// No channel can be opened after this.
  func close() {
    watch = nil
    shutdown(listener.borrowed, Int32(SHUT_RDWR))
    listener.closeNow()
  }

  private func accept() {
    do throws(SocketError) {
      for _ in 0..<Self.turn {
        guard watch != nil, let (socket, peer) = try sockets.accept(from: listener) else { return }
        opened(socket, peer)
      }
    } catch {
      watch?.watchReads(false)
      loop.schedule(after: Self.retryDelay, .background) { [weak self] in self?.watch?.watchReads(true) }
    }
  }

  private struct Weak {
    weak var published: PublishedChannel?
  }
}
