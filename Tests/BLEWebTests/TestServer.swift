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
    _ limits: WebServer.Limits = .patient, identity: WebServer.Identity? = nil,
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
    _ limits: WebServer.Limits = .patient, gate: @escaping WebServer.Gate = { _ in nil },
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

/// Waits for something that another thread brings about. What keeps a test from waiting for ever is how often Swift's threads had a turn for it, and
/// not a time: on a busy machine, hundreds of tests wait for the same few threads, and the server's handlers with them.
func eventually(_ what: Comment, _ condition: () -> Bool) async throws {
  for _ in 0..<30_000 where !condition() { try await Task.sleep(for: .milliseconds(2)) }
  try #require(condition(), what)
}

/// Seconds after which a wait outside of Swift's threads is given up, so that a test that would wait for ever fails. Nothing that works takes as long,
/// also not on a machine with ten times as much to do as it can.
let longestWait = 600

extension WebServer.Limits {
  /// A server that does not end what a busy machine is slow with. Tests of its times say at what time it is to look (`sweep`).
  static var patient: WebServer.Limits {
    var limits = WebServer.Limits()
    limits.idleSeconds = 0
    limits.requestTime = .seconds(longestWait)
    limits.responseTime = .seconds(longestWait)
    return limits
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
