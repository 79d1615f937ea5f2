import Glibc
import Testing

@testable import BLEWeb

@Suite("Clients that take their time")
struct SlowClientTests {
  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

  @Test("I15.1 a request that is not complete in its time is not waited for, however busy its connection is")
  func slowRequest() async throws {
    try await TestServer.run { server in
      let whole = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789"
      // Nothing, part of the first line, of a header, of the body; and after a whole request part of the next.
      var clients: [RawClient] = []
      for count in [0, 3, 30, whole.utf8.count - 4, whole.utf8.count + 8] {
        let client = try server.client()
        await client.send(Array((whole + whole).utf8.prefix(count)))
        if count > whole.utf8.count { #expect(try await client.response().status == 200) }
        clients.append(client)
      }
      try await eventually("all are connected") { server.server.connections.count == clients.count }
      let now = ContinuousClock.now
      server.server.connections.sweep(at: now + server.server.limits.requestTime / 2)
      #expect(server.server.connections.count == clients.count)
      server.server.connections.sweep(at: now + server.server.limits.requestTime + .seconds(1))
      for client in clients {
        let text = try await client.readAll()
        #expect(text.isEmpty, "\(text)")
      }
      try await eventually("all are closed") { server.server.connections.count == 0 }
      #expect(try await server.isAlive())
    }
  }

  @Test("I15.1 a client that goes away in the middle of a request does not keep its place until the time is over")
  func goneInRequest() async throws {
    try await TestServer.run { server in
      let stays = try server.client()
      await stays.send("GET /a HTTP/1.1\r\nHo")
      for text in ["", "GET /a HTTP/1.1\r\nHo", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n012"] {
        let client = try server.client()
        await client.send(text)
        client.close()
      }
      try await eventually("only one is left") {
        server.server.connections.sweep(at: .now + .seconds(2))
        return server.server.connections.count == 1
      }
      await stays.send("st: x\r\n\r\n")
      #expect(try await stays.response().status == 200)
    }
  }

  @Test("I15.1 what is worked on and what is listened to is not hurried")
  func unhurried() async throws {
    let latch = Latch()
    let stream = EventStream()
    let handler: WebServer.Handler = { request in
      if request.path == "/stream" { return WebResponse(stream) }
      await latch.wait()
      return .text(200, "done")
    }
    try await TestServer.run(handler: handler) { server in
      let (working, listening) = (try server.client(), try server.client())
      await working.send(Self.get("/a"))
      await listening.send(Self.get("/stream"))
      _ = try await listening.read(until: "\r\n\r\n")
      try await eventually("it is worked on") { server.server.load.handlers == 1 }
      server.server.connections.sweep(at: .now + .seconds(100_000))
      stream.send(Array("data: 1\n\n".utf8))
      latch.open()
      #expect(try await working.response().status == 200)
      _ = try await listening.read(until: "data: 1\n\n")
    }
  }

  @Test("I15.1 a response that is not read in its time is given up, and its memory comes back")
  func slowReader() async throws {
    let large = WebResponse(200, "text/plain", [UInt8](repeating: 97, count: 16 << 20))
    try await TestServer.run(handler: { $0.path == "/large" ? large : .text(200, "done") }) { server in
      let client = try server.client(receiving: 4_096)
      await client.send(Self.get("/large"))
      try await eventually("it is being sent") { server.server.load.sending == 16 << 20 }
      try await eventually("it was given up") {
        server.server.connections.sweep(at: .now + server.server.limits.responseTime + .seconds(1))
        return server.server.load.sending == 0
      }
      #expect(try await client.readAll().utf8.count < 16 << 20)
      try await eventually("it is closed") { server.server.connections.count == 0 }
    }
  }

  @Test("I15.1 connections that ask for nothing do not keep others out: the oldest of them is closed")
  func idle() async throws {
    var limits = WebServer.Limits.patient
    limits.connections = 16
    let stream = EventStream()
    try await TestServer.run(limits, handler: { $0.path == "/stream" ? WebResponse(stream) : .text(200, "done") }) {
      server in
      let listening = try server.client()
      await listening.send(Self.get("/stream"))
      _ = try await listening.read(until: "\r\n\r\n")
      // More than the server takes, and none of them closes by itself.
      let idle = try (0..<100).map { _ in try server.client() }
      for _ in 0..<3 { #expect(try await server.isAlive()) }
      #expect(server.server.connections.count <= 16)
      // Those who listen are not closed for them.
      stream.send(Array("data: 1\n\n".utf8))
      _ = try await listening.read(until: "data: 1\n\n")
      #expect(try await idle[0].readAll().isEmpty)
      for client in idle { client.close() }
      try await eventually("only the stream is left") { server.server.connections.count == 1 }
    }
  }

  @Test("I15.1 one address may have so many connections, and no more")
  func oneAddress() async throws {
    var limits = WebServer.Limits.patient
    limits.connectionsPerAddress = 4
    try await TestServer.run(limits) { server in
      let clients = try (0..<4).map { _ in try server.client() }
      for client in clients {
        await client.send(Self.get("/a"))
        #expect(try await client.response().status == 200)
      }
      for _ in 0..<10 { #expect(try await server.client().readAll().isEmpty) }
      #expect(server.server.connections.count == 4)
      clients[0].close()
      try await eventually("one is closed") { server.server.connections.count == 3 }
      #expect(try await server.isAlive())
    }
  }
}
