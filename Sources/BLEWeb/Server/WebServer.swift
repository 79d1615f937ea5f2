import CMicroHTTP
import Dispatch
import Glibc
import Synchronization

/// An HTTP server on libmicrohttpd: one thread for all connections, and a handler that may take its time.
///
/// Limits hold before the handler sees a request: connections, the size of headers and bodies, the time in which a
/// request has to be complete, and how often something may be changed.
///
/// It lives until `stop`: libmicrohttpd's thread has it.
final class WebServer: Sendable {
  /// The server's certificate and its private key, in PEM.
  struct Identity: Sendable, Equatable {
    var certificate: [UInt8]
    var key: [UInt8]
  }

  typealias Handler = @Sendable (WebRequest) async -> WebResponse
  /// Judges the head of a request, before its body is read: a response refuses it.
  typealias Gate = @Sendable (WebRequest) -> WebResponse?

  let limits: Limits
  let gate: Gate
  let handler: Handler
  let connections: ClientConnections
  let changes: RateLimiter
  private let work = Mutex(Work())
  private let running = Mutex<Running?>(nil)

  private struct Work {
    var isStopping = false
    /// Requests that wait for their answer, and streams: they have to be resumed before the server can stop.
    var exchanges: Set<Exchange> = []
    /// Handlers that run.
    var handlers = 0
    /// Octets of responses that are being sent.
    var sending = 0
  }

  /// `@unchecked Sendable`: libmicrohttpd's functions may be called with the daemon from any thread; the timer is Dispatch's.
  private struct Running: @unchecked Sendable {
    let daemon: OpaquePointer
    let watch: any DispatchSourceTimer
    /// Since when it has left the listening socket to another server.
    var left: (socket: Int32, since: ContinuousClock.Instant)?
  }

  /// - Parameter listener: a socket that listens; the server closes it, also where it does not start.
  /// - Throws: `WebError.start` where libmicrohttpd refuses, as it does for an unusable certificate.
  init(
    listener: Int32, identity: Identity?, limits: Limits = Limits(), gate: @escaping Gate, handler: @escaping Handler
  ) throws(WebError) {
    self.limits = limits
    self.gate = gate
    self.handler = handler
    connections = ClientConnections(limits)
    changes = RateLimiter(limits.changes)
    let context = Unmanaged.passRetained(self)
    guard let daemon = Self.start(listener, identity, limits, context.toOpaque()) else {
      context.release()
      throw .start
    }
    let watch = DispatchSource.makeTimerSource(queue: .global())
    watch.schedule(deadline: .now() + 1, repeating: 1)
    watch.setEventHandler { [weak self, connections] in
      connections.sweep()
      self?.stopIfLeft()
    }
    watch.resume()
    running.withLock { $0 = Running(daemon: daemon, watch: watch) }
  }

  /// Ends all streams, refuses what waits, and returns when the server's thread has ended. May be called again.
  func stop() {
    let ended = running.withLock { running in
      defer { running = nil }
      return running
    }
    guard let ended else { return }
    ended.watch.cancel()
    let left = work.withLock { work in
      work.isStopping = true
      return work.exchanges
    }
    for exchange in left { exchange.abandon() }
    MHD_stop_daemon(ended.daemon)
    if let left = ended.left { close(left.socket) }
    Unmanaged.passUnretained(self).release()
  }

  // MARK: Leaving

  /// Leaves new connections to another server on the same socket. Those that are open stay until they have their answers
  /// and their streams have ended; then this server stops by itself.
  func leave() {
    running.withLock { running in
      guard let daemon = running?.daemon, running?.left == nil else { return }
      // libmicrohttpd neither accepts from the socket any more nor closes it.
      let socket = MHD_quiesce_daemon(daemon)
      if socket >= 0 { running?.left = (socket, .now) }
    }
  }

  var hasLeft: Bool { running.withLock { $0?.left != nil } }

  private func stopIfLeft() {
    guard let since = running.withLock({ $0?.left?.since }), connections.count == 0 else { return }
    // A connection that was accepted in the last moment is not yet among them.
    if ContinuousClock.now - since > .seconds(1) { stop() }
  }

  // MARK: What is under way

  enum Turn { case granted, stopping, busy }

  /// An exchange whose connection is suspended, or soon may be. From then on `stop` resumes it.
  func opened(_ exchange: Exchange) -> Bool {
    work.withLock { work in
      if work.isStopping { return false }
      work.exchanges.insert(exchange)
      return true
    }
  }

  /// The same for one whose handler is to run.
  func began(_ exchange: Exchange) -> Turn {
    work.withLock { work in
      if work.isStopping { return .stopping }
      if work.handlers >= limits.working { return .busy }
      work.handlers += 1
      work.exchanges.insert(exchange)
      return .granted
    }
  }

  func handled() { work.withLock { $0.handlers -= 1 } }

  func closed(_ exchange: Exchange) { work.withLock { _ = $0.exchanges.remove(exchange) } }

  /// Whether there is memory for one more response; `sent` gives it back.
  func sends(_ size: Int) -> Bool {
    work.withLock { work in
      if work.sending > 0, work.sending + size > limits.responseSize { return false }
      work.sending += size
      return true
    }
  }

  func sent(_ size: Int) { work.withLock { $0.sending -= size } }

  /// What is under way, for tests: handlers, exchanges, and octets of responses.
  var load: (handlers: Int, exchanges: Int, sending: Int) {
    work.withLock { ($0.handlers, $0.exchanges.count, $0.sending) }
  }
}
