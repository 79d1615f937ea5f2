import Testing

@testable import BLEWeb

@Suite("Bodies, and requests one after another")
struct BodyTests {
  private static func post(_ headers: String, _ body: String = "") -> String {
    "POST /a HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\n\(body)"
  }

  private static func chunk(_ count: Int) -> String {
    "\(String(count, radix: 16))\r\n\(String(repeating: "a", count: count))\r\n"
  }

  @Test("I15.1 bodies of both framings come whole, up to the limit")
  func whole() async throws {
    var limits = WebServer.Limits.patient
    limits.bodySize = 100_000
    try await TestServer.run(limits) { server in
      for count in [0, 1, 99_999, 100_000] {
        let text = String(repeating: "a", count: count)
        let told = try await server.response(to: Self.post("Content-Length: \(count)", text))
        #expect(told.status == 200 && told.body == "POST /a \(count)\n")
        let chunks = count == 0 ? "" : Self.chunk(count / 2 + 1) + (count > 1 ? Self.chunk(count - count / 2 - 1) : "")
        let chunked = try await server.response(to: Self.post("Transfer-Encoding: chunked", chunks + "0\r\n\r\n"))
        #expect(chunked.status == 200 && chunked.body == "POST /a \(count)\n")
      }
    }
  }

  @Test("I15.1 of a body beyond the limit nothing is kept: the client is told, or the connection is closed")
  func tooLarge() async throws {
    var limits = WebServer.Limits.patient
    limits.bodySize = 10_000
    try await TestServer.run(limits) { server in
      // Told in the head: it is not read at all.
      let told = try await server.response(to: Self.post("Content-Length: 10001"))
      #expect(told.status == 413 && told.header("Connection")?.lowercased() == "close")
      let chunked = try await server.response(
        to: Self.post("Transfer-Encoding: chunked", Self.chunk(10_001) + "0\r\n\r\n"))
      #expect(chunked.status == 413)
      // Without an end.
      let client = try server.client()
      await client.send(Self.post("Transfer-Encoding: chunked"))
      var sent = 0
      while await client.send(Self.chunk(16_384)) {
        sent += 16_384
        try #require(sent < 64 << 20, "the server reads on")
      }
      #expect(server.paths.all.isEmpty)
      #expect(try await server.isAlive())
    }
  }

  @Test("I15.1 a client that asks first is told to go on, and one that would be refused is not")
  func expectation() async throws {
    try await TestServer.run(gate: { $0.path == "/refused" ? .text(403, "no") : nil }) { server in
      let client = try server.client()
      await client.send(Self.post("Expect: 100-continue\r\nContent-Length: 4"))
      #expect(try await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
      await client.send("abcd")
      #expect(try await client.response().body == "POST /a 4\n")
      let refused = try await server.response(
        to: "POST /refused HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
      #expect(refused.status == 403)
    }
  }

  @Test("I15.1 requests that were sent at once are answered one after another, also to HEAD, which has no body")
  func pipelined() async throws {
    try await TestServer.run { server in
      let client = try server.client()
      await client.send(
        "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: x\r\n\r\n"
          + "POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nabGET /4 HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.response().body == "GET /1 0\n")
      let head = try await client.response(to: "HEAD")
      #expect(head.status == 200 && head.header("Content-Length") == "10")
      #expect(try await client.response().body == "POST /3 2\n")
      #expect(try await client.response().body == "GET /4 0\n")
      #expect(server.paths.all == ["/1", "/2", "/3", "/4"])
    }
  }

  @Test("I15.1 every response forbids what a page of another site could do with it, and is not kept")
  func protection() async throws {
    try await TestServer.run(gate: { $0.path == "/refused" ? .text(403, "no") : nil }) { server in
      for path in ["/a", "/refused", "/%00"] {
        let response = try await server.response(to: "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(response.header("Referrer-Policy") == "no-referrer")
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.header("X-Content-Type-Options") == "nosniff")
        #expect(response.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
        #expect(response.header("Access-Control-Allow-Origin") == nil)
      }
    }
  }
}
