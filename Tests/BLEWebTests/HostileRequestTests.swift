import Testing

@testable import BLEWeb

@Suite("Requests that no browser sends")
struct HostileRequestTests {
  private static let end = "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

  @Test(
    "I15.1 a target that is no path, or of which two programs could see two, is refused",
    arguments: [
      "http://127.0.0.1/a", "*", "a", "/%00", "/a%00.js", "/a%2Fb", "/a%2fb", "/a%5Cb", "/a%0D%0AX:1", "/a%7F", "/%",
      "/%4", "/%zz", "/%+1", "/a\u{1}", "/a\u{7F}", "/\u{E9}", "/%FF", "/%C0%AF", "/a#b", "/a?b=%00", "/a\\b%5c",
      "/a\tb", "//evil.example\u{80}",
    ])
  func targets(target: String) async throws {
    try await TestServer.run { server in
      let client = try server.client()
      await client.send("GET \(target) \(Self.end)")
      let text = try await client.readAll()
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text)")
      #expect(server.paths.all.isEmpty)
      #expect(try await server.isAlive())
    }
  }

  @Test(
    "I15.1 dots in a path are no way out: the path is what it says", arguments: ["/%2e%2e/etc", "/../../etc", "/./a"])
  func dots(target: String) async throws {
    try await TestServer.run { server in
      let response = try await server.response(to: "GET \(target) \(Self.end)")
      #expect(response.status == 200)
      #expect(server.paths.all == [target.replacing("%2e", with: ".")])
    }
  }

  @Test(
    "I15.1 what follows a refused request is not taken for the next one",
    arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
  func smuggling(method: String) async throws {
    let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
    let framings = [
      "Content-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
      "Transfer-Encoding: chunked\r\n\r\n\(String(hidden.utf8.count, radix: 16))\r\n\(hidden)\r\n0\r\n\r\n",
    ]
    try await TestServer.run(gate: { $0.path == "/refused" ? .text(403, "no") : nil }) { server in
      for framing in framings {
        let client = try server.client()
        await client.send("\(method) /refused HTTP/1.1\r\nHost: x\r\n\(framing)")
        let text = try await client.readAll()
        #expect(text.hasPrefix("HTTP/1.1 403"))
        #expect(text.components("HTTP/1.1 ") == 1)
      }
      #expect(server.paths.all.isEmpty)
      #expect(try await server.isAlive())
    }
  }

  @Test(
    "I15.1 a request of which two programs could see different ends is refused, and its connection closed",
    arguments: [
      "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5\r\nContent-Length: 5", "Content-Length: +5",
      "Content-Length: -1", "Content-Length: 0x5", "Content-Length: 5, 5", "Content-Length: ",
      "Content-Length: 18446744073709551616", "Content-Length: 18446744073709551615", "Content-Length: 1048577",
      "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
      "Transfer-Encoding: gzip", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: xchunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Host: y", "Origin: a\r\nOrigin: b",
      "Authorization: a\r\nauthorization: b", "Cookie: a=1\r\nCookie: a=2",
    ])
  func framing(headers: String) async throws {
    try await TestServer.run { server in
      let client = try server.client()
      await client.send("POST /a HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\nGET /hidden HTTP/1.1\r\nHost: x\r\n\r\n")
      let text = try await client.readAll()
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4") || text.hasPrefix("HTTP/1.1 501"), "\(text)")
      // libmicrohttpd 0.9.75 sends the head of its own refusals twice.
      #expect(text.components("HTTP/1.1 200") == 0, "\(text)")
      #expect(server.paths.all.isEmpty)
      #expect(try await server.isAlive())
    }
  }

  @Test("I15.1 a request without Host, with a header that is none, or with too many of them is refused")
  func headers() async throws {
    try await TestServer.run { server in
      for headers in [
        "", "Host: x\r\n: y", "Host: x\r\nno colon",
        "Host: x\r\n" + String(repeating: "a: b\r\n", count: 5_000) + "c: d",
        "Host: x\r\na: " + String(repeating: "b", count: 40_000), "Host: x\r\n\u{0}: \u{0}", "Host: x\r\n\r",
      ] {
        let client = try server.client()
        await client.send("GET /a HTTP/1.1\r\n\(headers)\r\nConnection: close\r\n\r\n")
        let text = try await client.readAll()
        // What is harmless may be answered: only that the server goes on is asked for.
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 "), "\(text)")
        #expect(try await server.isAlive())
      }
      let long = try server.client()
      await long.send("GET /" + String(repeating: "a", count: 40_000) + " \(Self.end)")
      #expect(try await !long.readAll().contains(" 200 "))
      #expect(try await server.isAlive())
    }
  }

  @Test("I15.1 octets by chance, and requests with octets changed by chance, do not end the server")
  func chance() async throws {
    var chance = Chance(state: 0x1501)
    let good = Array("POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nabcd".utf8)
    try await TestServer.run { server in
      for round in 0..<400 {
        var octets =
          round.isMultiple(of: 4) ? (0..<64).map { _ in UInt8.random(in: .min ... .max, using: &chance) } : good
        for _ in 0..<Int.random(in: 1...6, using: &chance) {
          let place = Int.random(in: 0..<octets.count, using: &chance)
          switch Int.random(in: 0..<3, using: &chance) {
          case 0: octets[place] = UInt8.random(in: .min ... .max, using: &chance)
          case 1: octets.remove(at: place)
          default: octets.insert([0, 10, 13, 32, 58][Int.random(in: 0..<5, using: &chance)], at: place)
          }
        }
        let client = try server.client()
        await client.send(octets)
        client.close()
      }
      #expect(try await server.isAlive())
      // Of those that end in the middle libmicrohttpd 0.9.75 does not notice that the client has gone.
      try await eventually("all connections are closed") {
        server.server.connections.sweep(at: .now + .seconds(2))
        return server.server.connections.count == 0
      }
      #expect(server.server.load == (0, 0, 0))
    }
  }
}

/// Numbers that are the same in each run (SplitMix64).
struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension String {
  /// How often `text` stands in it.
  func components(_ text: String) -> Int { ranges(of: text).count }
}
