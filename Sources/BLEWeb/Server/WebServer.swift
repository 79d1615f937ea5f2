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
  struct Identity: Sendable {
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
    watch.setEventHandler { [connections] in connections.sweep() }
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
    Unmanaged.passUnretained(self).release()
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
