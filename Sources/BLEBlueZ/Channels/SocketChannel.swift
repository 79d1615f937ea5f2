import BLEAdapter
import BLECore
import BLEHCI
import Dispatch
import Glibc

/// One end of an L2CAP channel whose protocol the kernel handles: a socket that takes one SDU at a time. Everything on the loop.
///
/// At most a window of data is held unread here, and the kernel limits what it holds: a peer whose data is not read gets no more credits.
/// Kernels before 6.10 do not stop peers. There all incoming data is read, and a channel whose data stays unread is ended rather than lose
/// octets in its middle.
final class SocketChannel: PeerChannel {
  private enum State {
    case open
    /// To be closed when all queued data has been sent.
    case draining
    case closed
  }

  /// The limit of unread octets.
  static let window = 65_536
  /// That limit where the kernel does not stop the peer.
  static let unstoppedWindow = 1 << 20
  /// In octets; the kernel refuses longer ones.
  static let longestSDU = 4_096
  /// How many SDUs are sent or received before other jobs of the loop run.
  private static let turn = 64
  /// How many empty reads of a socket that has hung up count as its end.
  private static let endingReads = 16
  private static let drainLimit = StackDuration.seconds(30)
  private static let drainStep = StackDuration.milliseconds(20)

  let multiplexer: ProtocolServiceMultiplexer
  weak var events: (any PeerChannelEvents)?
  /// Called when it is closed, after the events.
  var closed: ((SocketChannel) -> Void)?

  private let socket: BusDescriptor
  private let sockets: any ChannelSockets
  private let loop: DispatchStackLoop
  private let log: Logger
  private let sendLimit: Int
  private var state = State.open
  private var watch: DescriptorWatch?
  private var buffer = [UInt8](repeating: 0, count: longestSDU)
  private var outgoing = SocketChannelQueue()
  private var isSendingScheduled = false
  private var unread = 0
  private var isPaused = false
  private var emptyReads = 0
  /// The socket's error; data received before it is still to be read.
  private var failure: SocketError?

  /// - Parameter socket: a connected one.
  init(
    _ socket: BusDescriptor, _ multiplexer: ProtocolServiceMultiplexer, of sockets: any ChannelSockets,
    on loop: DispatchStackLoop, log: Logger
  ) {
    self.multiplexer = multiplexer
    self.socket = socket
    self.sockets = sockets
    self.loop = loop
    self.log = log
    sendLimit = max(1, sockets.sendLimit(of: socket))
    let bound = LoopBound(Weak(channel: self))
    watch = DescriptorWatch(of: socket.borrowed, on: loop.queue) { bound.value.channel?.ready() }
    if watch == nil { later { $0.finish(.limitReached) } }
  }

  deinit { socket.closeNow() }

  var isClosed: Bool { state == .closed }

  private func ready() {
    receive()
    transmit()
  }

  private func later(_ action: @escaping (SocketChannel) -> Void) {
    let bound = LoopBound((Weak(channel: self), action))
    loop.queue.async {
      let (channel, action) = bound.value
      if let channel = channel.channel { action(channel) }
    }
  }

  // MARK: Sending

  func send(_ octets: [UInt8], sent: @escaping () -> Void) {
    guard state == .open else { return }
    if octets.isEmpty {
      loop.schedule(after: .zero, .work, sent)
      return
    }
    outgoing.append(octets, sent: sent)
    if isSendingScheduled { return }
    isSendingScheduled = true
    later { channel in
      channel.isSendingScheduled = false
      channel.transmit()
    }
  }

  private func transmit() {
    var sent: [() -> Void] = []
    var hasFailed = false
    for _ in 0..<Self.turn where state != .closed {
      guard let piece = outgoing.next(sendLimit) else { break }
      let count = piece.withUnsafeBytes { Glibc.send(socket.borrowed, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count >= 0 {
        if let done = outgoing.advance(by: piece.count) { sent.append(done) }
      } else if errno != EINTR {
        hasFailed = ![EAGAIN, ENOBUFS, ENOMEM].contains(errno)
        break
      }
    }
    if hasFailed {
      outgoing.removeAll()
      // Where the peer has disconnected, the end is reported after the data that it sent before.
      if !socket.hasHungUp { return finish(.lost) }
    }
    watch?.watchWrites(!outgoing.isEmpty)
    for sent in sent { sent() }
  }

  // MARK: Receiving

  private func receive() {
    for _ in 0..<Self.turn {
      if state == .closed || isPaused { return }
      let count = buffer.withUnsafeMutableBytes { recv(socket.borrowed, $0.baseAddress, $0.count, 0) }
      if count > 0 {
        emptyReads = 0
        take(buffer[..<count])
      } else if count == 0 {
        // Either the end of the stream or an SDU without octets: only the end repeats.
        emptyReads += 1
        if emptyReads >= Self.endingReads, socket.hasHungUp { return finish(EndReason(endOfChannel: failure)) }
      } else {
        let error = SocketError(number: errno)
        switch error.number {
        case EINTR: continue
        case EAGAIN:
          emptyReads = 0
          if failure != nil || socket.hasHungUp { finish(EndReason(endOfChannel: failure)) }
          return
        default:
          if failure != nil { return finish(EndReason(endOfChannel: failure)) }
          // The kernel reports the error before it delivers the data received earlier.
          failure = error
        }
      }
    }
    receiveLater()
  }

  /// Dispatch reports a hang-up only once, even while data is unread: so the rest is read without another event.
  private func receiveLater() { later { $0.receive() } }

  private func take(_ octets: ArraySlice<UInt8>) {
    // While the channel is being closed its data is discarded and the peer is not stopped: it may wait for data that is still being sent.
    guard state == .open, let events else { return }
    unread += octets.count
    events.channel(self, didReceive: octets)
    if sockets.stopsPeers {
      if unread >= Self.window { pause(true) }
    } else if unread >= Self.unstoppedWindow {
      log.log(
        .warning,
        "a channel ends because nothing reads from it: this kernel (before Linux 6.10) does not make its peer wait")
      finish(.limitReached)
    }
  }

  func consume(_ count: Int) {
    unread -= min(max(0, count), unread)
    if isPaused, unread <= Self.window / 2 { pause(false) }
  }

  private func pause(_ isPaused: Bool) {
    if self.isPaused == isPaused { return }
    self.isPaused = isPaused
    watch?.watchReads(!isPaused)
    if !isPaused { receiveLater() }
  }

  // MARK: The end

  /// Ends it when all queued data has been sent, after 30 s at most.
  func close() {
    guard state == .open else { return }
    state = .draining
    pause(false)
    drain(until: loop.now + Self.drainLimit)
  }

  private func drain(until deadline: StackInstant) {
    loop.schedule(after: .zero, .work) { [self] in
      guard state == .draining else { return }
      if loop.now >= deadline || (outgoing.isEmpty && sockets.hasSent(socket)) { return finish(.requested) }
      loop.schedule(after: Self.drainStep, .work) { [self] in drain(until: deadline) }
    }
  }

  /// Ends it now.
  func finish(_ reason: EndReason) {
    if state == .closed { return }
    state = .closed
    watch = nil
    // The watch holds a duplicate of the socket for a moment longer.
    shutdown(socket.borrowed, Int32(SHUT_RDWR))
    socket.closeNow()
    outgoing.removeAll()
    let (events, closed) = (events, closed)
    self.events = nil
    self.closed = nil
    events?.channel(self, didClose: reason)
    closed?(self)
  }

  private struct Weak {
    weak var channel: SocketChannel?
  }
}

/// The data to be sent on a channel, oldest first.
struct SocketChannelQueue {
  private var chunks: [(octets: [UInt8], sent: () -> Void)] = []
  private var first = 0
  /// Where the next SDU starts in the first chunk.
  private var offset = 0

  var isEmpty: Bool { first == chunks.count }

  mutating func append(_ octets: [UInt8], sent: @escaping () -> Void) { chunks.append((octets, sent)) }

  /// The next SDU, of at most `limit` octets; `nil` where nothing is queued.
  func next(_ limit: Int) -> ArraySlice<UInt8>? {
    if isEmpty { return nil }
    let octets = chunks[first].octets
    return octets[offset..<min(offset + limit, octets.count)]
  }

  /// Removes `count` octets that were sent.
  /// - Returns: the callback to call, where a whole chunk has been sent.
  mutating func advance(by count: Int) -> (() -> Void)? {
    offset += count
    guard offset == chunks[first].octets.count else { return nil }
    let sent = chunks[first].sent
    first += 1
    offset = 0
    if isEmpty {
      removeAll()
    } else if first >= 16, first * 2 >= chunks.count {
      chunks.removeFirst(first)
      first = 0
    }
    return sent
  }

  /// Discards everything, without calling callbacks.
  mutating func removeAll() {
    chunks = []
    first = 0
    offset = 0
  }
}
