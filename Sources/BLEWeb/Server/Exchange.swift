import CMicroHTTP
import Synchronization

/// One request and its response, from the request's first line until the connection is free for the next.
///
/// All but `respond` and `abandon` run on the server's thread. While the answer is worked out the connection is
/// suspended: libmicrohttpd neither reads from it nor closes it.
final class Exchange: Hashable, Sendable {
  private enum Phase {
    case head
    case reading
    /// The connection is suspended until there is a response.
    case working
    case responded(WebResponse)
    case over
  }

  private struct State {
    var phase = Phase.head
    var request: WebRequest?
    var body: [UInt8] = []
    /// Octets of the body that have come, also those that were not kept.
    var size = 0
    var stream: EventStream?
    /// Octets of the response.
    var sending = 0
  }

  /// The request's target as the client wrote it.
  let target: [UInt8]
  let connection: UInt
  private unowned let server: WebServer
  private let state = Mutex(State())

  init(_ target: [UInt8], on connection: OpaquePointer, of server: WebServer) {
    self.target = target
    self.connection = UInt(bitPattern: connection)
    self.server = server
  }

  static func == (one: Exchange, other: Exchange) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var pointer: OpaquePointer? { OpaquePointer(bitPattern: connection) }

  // MARK: The request

  /// Whether libmicrohttpd has the head of the request, and nothing was done with it yet.
  func begins() -> Bool {
    state.withLock { state in
      guard case .head = state.phase else { return false }
      state.phase = .reading
      return true
    }
  }

  func accept(_ request: WebRequest) { state.withLock { $0.request = request } }

  /// Takes a part of the body. What exceeds the limit is read and not kept, so that the client can read why; twice as
  /// much is not read.
  func take(_ octets: UnsafeRawBufferPointer, limit: Int) -> MHD_Result {
    state.withLock { state in
      state.size += octets.count
      if state.size > limit { state.body = [] } else { state.body += octets }
      return state.size > 2 * limit ? .NO : .YES
    }
  }

  /// The request is complete: starts the work, or sends what it has given.
  func answer() -> MHD_Result {
    enum Step { case send(WebResponse), work(WebRequest), none }
    let step: Step = state.withLock { state in
      if case .responded(let response) = state.phase {
        state.phase = .over
        return .send(response)
      }
      guard case .reading = state.phase, var request = state.request else { return .none }
      if state.size > server.limits.bodySize { return .send(.text(413, "the body is too large")) }
      request.body = state.body
      state.body = []
      state.request = nil
      state.phase = .working
      return .work(request)
    }
    switch step {
    case .send(let response): return queue(response)
    case .work(let request): work(on: request)
    case .none: return .NO
    }
    return .YES
  }

  private func work(on request: WebRequest) {
    // Strongly, because the work may take longer than the server lives.
    let server = server
    MHD_suspend_connection(pointer)
    server.connections.enter(.working, connection)
    // Only now, suspended: `stop` resumes all that it finds, and finds none that is suspended later.
    switch server.began(self) {
    case .stopping: respond(.later(503, "the server is being stopped"))
    case .busy: respond(.later(503, "too many requests are being worked on"))
    case .granted:
      Task {
        respond(await server.handler(request))
        server.handled()
      }
    }
  }

  // MARK: The response

  /// From any thread: the response is there.
  private func respond(_ response: WebResponse) {
    let isTaken = state.withLock { state in
      guard case .working = state.phase else { return false }
      state.phase = .responded(response)
      // Within the lock: the connection exists as long as the phase is `working`.
      MHD_resume_connection(pointer)
      return true
    }
    if !isTaken { response.stream?.end() }
  }

  /// The server stops.
  func abandon() {
    respond(.later(503, "the server is being stopped"))
    state.withLock { $0.stream }?.end()
  }

  /// The response was sent, or the connection has ended.
  func completed() {
    let (stream, sending, unsent) = state.withLock { state in
      defer {
        state.phase = .over
        state.stream = nil
        state.sending = 0
      }
      // The client may have gone before its stream began.
      if case .responded(let response) = state.phase { return (state.stream, state.sending, response.stream) }
      return (state.stream, state.sending, nil)
    }
    stream?.end()
    unsent?.end()
    server.sent(sending)
    server.closed(self)
    server.connections.enter(.receiving, connection)
  }

  func queue(_ response: WebResponse) -> MHD_Result {
    var response = response
    var size = response.size
    if !server.sends(size) {
      response = .later(503, "too much is being sent already")
      size = 0
    }
    state.withLock { state in
      state.sending = size
      state.stream = response.stream
    }
    // A stream is suspended most of the time: the server has to resume it to stop.
    guard response.stream == nil || server.opened(self), let pointer, let made = response.made(for: pointer) else {
      return .NO
    }
    defer { MHD_destroy_response(made) }
    // The client's next request is for the server that has taken its place.
    if response.stream == nil, server.hasLeft { MHD_add_response_header(made, "Connection", "close") }
    server.connections.enter(response.stream.map(ClientConnections.Phase.streaming) ?? .responding, connection)
    for (name, value) in WebResponse.protection + response.headers { MHD_add_response_header(made, name, value) }
    return MHD_queue_response(pointer, UInt32(response.status), made)
  }
}
