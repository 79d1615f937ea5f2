import BLEAdapter
import BLECore
import BLEHCI
import Dispatch
import Glibc

/// One end of an L2CAP channel whose protocol the kernel speaks: a socket that takes one SDU at a time. Everything on the loop.
///
/// What nobody has read is never more than a window, and so is what the kernel holds for this side: a peer that is not read from is
/// stopped by the kernel, which then gives it no credits. Kernels before 6.10 do not stop peers. There all is read that comes, and a
/// channel that nobody reads from ends rather than lose octets in its middle.
final class SocketChannel: PeerChannel {
  private enum State {
    case open
    /// To be closed when everything has been sent.
    case draining
    case closed
  }

  /// Octets that may wait for the reader.
  static let window = 65_536
  /// As many where the kernel does not stop the peer.
  static let unstoppedWindow = 1 << 20
  /// In octets; longer ones the kernel does not let in.
  static let longestSDU = 4_096
  /// So many SDUs each way before others have their turn on the loop.
  private static let turn = 64
  /// So often nothing is read of a socket that has hung up before that is its end.
  private static let endingReads = 16
  private static let drainLimit = StackDuration.seconds(30)
  private static let drainStep = StackDuration.milliseconds(20)

  let multiplexer: ProtocolServiceMultiplexer
  weak var events: (any PeerChannelEvents)?
  /// Told when it is closed, after the events.
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
  /// What the socket has said; what came before that is still to be read.
  private var failure: SocketError?

  /// - Parameter socket: connected.
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
      // Where the peer has gone the end comes behind what it has sent before.
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
        // The end of what comes, or an SDU without octets: only the end comes again and again.
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
          // The kernel says so before it hands out what came earlier.
          failure = error
        }
      }
    }
    receiveLater()
  }

  /// Dispatch tells once that the peer has gone, whatever waits to be read: the rest is not left to another event.
  private func receiveLater() { later { $0.receive() } }

  private func take(_ octets: ArraySlice<UInt8>) {
    // While it is being closed nobody reads, and the peer is not to be stopped: it may wait for an answer that is being sent.
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

  /// Ends it when what waits has been sent, in 30 s at the most.
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

  /// It is over.
  func finish(_ reason: EndReason) {
    if state == .closed { return }
    state = .closed
    watch = nil
    // The watch has a duplicate of the socket for a moment longer.
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

/// What waits to be sent on a channel, oldest first.
struct SocketChannelQueue {
  private var chunks: [(octets: [UInt8], sent: () -> Void)] = []
  private var first = 0
  /// Where the next SDU begins in the first of them.
  private var offset = 0

  var isEmpty: Bool { first == chunks.count }

  mutating func append(_ octets: [UInt8], sent: @escaping () -> Void) { chunks.append((octets, sent)) }

  /// The next SDU, of at most so many octets; `nil` where nothing waits.
  func next(_ limit: Int) -> ArraySlice<UInt8>? {
    if isEmpty { return nil }
    let octets = chunks[first].octets
    return octets[offset..<min(offset + limit, octets.count)]
  }

  /// So many octets have been taken.
  /// - Returns: what is to be told, where a whole chunk has been.
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

  /// Nothing more is sent, and nobody is told.
  mutating func removeAll() {
    chunks = []
    first = 0
    offset = 0
  }
}
