import Dispatch
import Synchronization
import Testing

@testable import BLEWeb

/// A server on any port of the loopback address, which counts what its handler gets.
final class TestServer: Sendable {
  let server: WebServer
  let port: UInt16
  /// The paths of the requests that the handler got.
  let paths: Calls

  final class Calls: Sendable {
    private let calls = Mutex<[String]>([])
    var all: [String] { calls.withLock { $0 } }
    func add(_ path: String) { calls.withLock { $0.append(path) } }
  }

  init(
    _ limits: WebServer.Limits = WebServer.Limits(), identity: WebServer.Identity? = nil,
    gate: @escaping WebServer.Gate = { _ in nil },
    handler: @escaping WebServer.Handler = { .text(200, "\($0.method) \($0.path) \($0.body.count)") }
  ) throws {
    let listener = try Listener(address: "127.0.0.1", port: 0)
    let calls = Calls()
    server = try WebServer(listener: listener.socket, identity: identity, limits: limits, gate: gate) { request in
      calls.add(request.path)
      return await handler(request)
    }
    port = listener.port
    paths = calls
  }

  func client(receiving: Int32? = nil) throws -> RawClient { try RawClient(port, receiving: receiving) }

  /// The response to one request on a connection of its own.
  func response(to request: String) async throws -> RawClient.Response {
    let client = try client()
    defer { client.close() }
    await client.send(request)
    return try await client.response()
  }

  /// Whether the server still answers.
  func isAlive() async throws -> Bool {
    try await response(to: "GET /alive HTTP/1.1\r\nHost: x\r\n\r\n").status == 200
  }

  /// Gives the server to `body`, and stops it.
  static func run(
    _ limits: WebServer.Limits = WebServer.Limits(), gate: @escaping WebServer.Gate = { _ in nil },
    handler: @escaping WebServer.Handler = { .text(200, "\($0.method) \($0.path) \($0.body.count)") },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let server = try TestServer(limits, gate: gate, handler: handler)
    do {
      try await body(server)
    } catch {
      server.server.stop()
      throw error
    }
    server.server.stop()
  }
}

/// Waits for something that another thread brings about; the time only keeps a test from waiting for ever.
func eventually(_ what: Comment, _ condition: () -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(30)
  while !condition() {
    try #require(ContinuousClock.now < deadline, what)
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Something that a handler waits for until the test lets it go on.
final class Latch: Sendable {
  private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }
}
