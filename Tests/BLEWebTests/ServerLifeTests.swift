import Glibc
import Synchronization
import Testing

@testable import BLEWeb

@Suite("A server's end, and requests that are under way then")
struct ServerLifeTests {
  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

  @Test(
    "I15.1 a server that is stopped answers what is being worked on with 503, ends its streams, and may be stopped again"
  )
  func stop() async throws {
    let latch = Latch()
    let stream = EventStream()
    let handler: WebServer.Handler = { request in
      if request.path == "/stream" { return WebResponse(stream) }
      await latch.wait()
      return .text(200, "late")
    }
    let server = try TestServer(handler: handler)
    let working = try server.client()
    await working.send(Self.get("/work"))
    let listening = try server.client()
    await listening.send(Self.get("/stream"))
    stream.send(Array("data: 1\n\n".utf8))
    _ = try await listening.read(until: "data: 1\n\n")
    let idle = try server.client()
    try await eventually("the handler runs") { server.paths.all.count == 2 && server.server.load.handlers == 1 }
    server.server.stop()
    server.server.stop()
    // The connection may be closed before the answer was sent.
    let text = try await working.readAll()
    #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 503"), "\(text)")
    _ = try await listening.readAll()
    #expect(try await idle.readAll().isEmpty)
    #expect(stream.isEnded)
    #expect(throws: RawClient.Refused.self) { try server.client() }
    latch.open()
    try await eventually("the handler has ended") { server.server.load.handlers == 0 }
    #expect(server.server.load.exchanges == 0 && server.server.connections.count == 0)
  }

  @Test("I15.1 a server may be stopped at any moment of a storm of requests")
  func storm() async throws {
    for round in 0..<40 {
      let handler: WebServer.Handler = { request in
        if request.path == "/stream" { return WebResponse(EventStream()) }
        await Task.yield()
        return .text(200, "done")
      }
      let server = try TestServer(handler: handler)
      let clients = try (0..<8).map { _ in try server.client() }
      await withTaskGroup(of: Void.self) { group in
        for (index, client) in clients.enumerated() {
          group.addTask {
            for number in 0..<6 { await client.send(Self.get(number == index ? "/stream" : "/a")) }
          }
        }
        group.addTask {
          for _ in 0..<(round * 3) { await Task.yield() }
          server.server.stop()
        }
      }
      for client in clients { _ = try await client.readAll() }
      #expect(server.server.load.exchanges == 0 && server.server.connections.count == 0)
    }
  }

  @Test("I15.1 a client that goes away while its request is worked on leaves nothing behind")
  func gone() async throws {
    let latch = Latch()
    let stream = EventStream()
    let handler: WebServer.Handler = { request in
      await latch.wait()
      return request.path == "/stream" ? WebResponse(stream) : .text(200, "done")
    }
    try await TestServer.run(handler: handler) { server in
      for path in ["/a", "/b", "/stream"] {
        let client = try server.client()
        await client.send(Self.get(path))
        try await eventually("the handler runs") { server.paths.all.contains(path) }
        client.close()
      }
      latch.open()
      try await eventually("the handlers have ended") { server.server.load.handlers == 0 }
      // A stream notices it when something is sent.
      try await eventually("nothing is left") {
        stream.sendHeartbeat()
        return server.server.load == (0, 0, 0) && server.server.connections.count == 0
      }
      #expect(stream.isEnded)
      #expect(try await server.isAlive())
    }
  }

  @Test("I15.1 of more requests than are worked on at once the others are told to come later")
  func busy() async throws {
    var limits = WebServer.Limits.patient
    limits.working = 4
    let latch = Latch()
    try await TestServer.run(
      limits,
      handler: { _ in
        await latch.wait()
        return .text(200, "done")
      }
    ) { server in
      let clients = try (0..<4).map { _ in try server.client() }
      for client in clients { await client.send(Self.get("/a")) }
      try await eventually("four are worked on") { server.server.load.handlers == 4 }
      let response = try await server.response(to: Self.get("/b"))
      #expect(response.status == 503 && response.header("Retry-After") == "1")
      latch.open()
      for client in clients { #expect(try await client.response().status == 200) }
      try await eventually("the handlers have ended") { server.server.load.handlers == 0 }
      #expect(try await server.isAlive())
    }
  }

  @Test("I15.1 responses that are being sent have a limit together, and one alone may exceed it")
  func sending() async throws {
    var limits = WebServer.Limits.patient
    limits.responseSize = 1 << 20
    let large = WebResponse(200, "text/plain", [UInt8](repeating: 97, count: 8 << 20))
    try await TestServer.run(limits, handler: { $0.path == "/large" ? large : .text(200, "done") }) { server in
      let slow = try server.client(receiving: 4_096)
      await slow.send(Self.get("/large"))
      try await eventually("it is being sent") { server.server.load.sending == 8 << 20 }
      #expect(try await server.response(to: Self.get("/a")).status == 503)
      #expect(try await slow.response().body.utf8.count == 8 << 20)
      try await eventually("it was sent") { server.server.load.sending == 0 }
      #expect(try await server.isAlive())
    }
  }

  @Test("I15.1 a server that does not start, because its certificate is none, leaves no socket")
  func refusedStart() throws {
    let listener = try Listener(address: "127.0.0.1", port: 0)
    let bad = WebServer.Identity(certificate: Array("no".utf8), key: Array("no".utf8))
    #expect(throws: WebError.start) {
      _ = try WebServer(listener: listener.socket, identity: bad, gate: { _ in nil }) { _ in .text(200, "") }
    }
    // Nobody listens there any more: the port is free for another.
    #expect(throws: Never.self) { close(try Listener(address: "127.0.0.1", port: listener.port).socket) }
  }
}
