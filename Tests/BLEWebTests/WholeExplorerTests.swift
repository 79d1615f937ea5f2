import Foundation
import Testing

@testable import BLEWeb

@Suite("An explorer as others reach it")
struct WholeExplorerTests {
  @Test(
    "I15.1 a read-only explorer has no request that changes something: all but GET is refused, and GET changes nothing")
  func readOnly() async throws {
    try await WholeExplorer.run({ $0.isReadOnly = true }) { whole in
      func state() async throws -> [String] {
        var found: [String] = []
        for path in ["status", "devices", "sessions"] {
          let body = try await whole.response("GET", "/api/v1/\(path)").body
          found.append(body.replacing(/"time_ms":[0-9.]+/, with: ""))
        }
        return found
      }
      let before = try await state()
      for route in API.routes {
        let path = route.path.replacing("{identifier}", with: UUID().uuidString)
          .replacing(/\{[a-z]+\}/, with: "anything")
        if route.method == .get {
          #expect(try await whole.response("GET", path).status < 500)
        } else {
          #expect(try await whole.response(route.method.rawValue, path, body: "{}").status == 403)
        }
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
          #expect(try await whole.response(method, path, body: "{}").status == 403)
          #expect(try await whole.response(method, path).status == 415)
        }
      }
      #expect(try await state() == before)
    }
  }

  @Test(
    "I15.1 a number of the last event that is none, or that no event had, means that everything has to be read",
    arguments: [
      "-1", "x", "0x10", "1e3", "1.5", "18446744073709551615", "18446744073709551616", " ", "%00", "\u{FF11}",
      String(repeating: "9", count: 1_000), "1;2", "0",
    ])
  func lastEvent(text: String) async throws {
    try await WholeExplorer.run { whole in
      let client = try RawClient(whole.port)
      defer { client.close() }
      await client.send(whole.request("GET", "/api/v1/events", headers: ["Last-Event-ID": text]))
      #expect(try await client.read(until: "\n\n").contains("event: reset\n"))
      #expect(try await whole.response("GET", "/api/v1/status").status == 200)
    }
  }

  @Test("I15.1 HEAD has the headers of GET and no body")
  func head() async throws {
    try await WholeExplorer.run { whole in
      for path in ["/", "/app.js", "/api/v1/openapi.json", "/nothing"] {
        let (get, head) = (try await whole.response("GET", path), try await whole.response("HEAD", path))
        #expect(head.status == get.status && head.header("Content-Type") == get.header("Content-Type"))
        #expect(head.header("Content-Length") == get.header("Content-Length"))
      }
      #expect(try await whole.response("HEAD", "/api/v1/events").status == 405)
    }
  }

  @Test(
    "I15.1 the token of the address becomes a cookie, with which everything is answered, and is in no answer's text")
  func token() async throws {
    try await WholeExplorer.run({ $0.asksForToken = true }) { whole in
      let token = try #require(whole.explorer.entrance.split(separator: "=").last.map(String.init))
      #expect(token.utf8.count == 64)
      var answers = [
        try await whole.response("GET", "/"), try await whole.response("GET", "/?token=\(String(token.reversed()))"),
      ]
      #expect(answers.allSatisfy { $0.status == 401 })
      let entrance = try await whole.response("GET", "/?token=\(token)")
      #expect(entrance.status == 303 && entrance.header("Location") == "/")
      #expect(entrance.header("Referrer-Policy") == "no-referrer" && entrance.header("Cache-Control") == "no-store")
      let cookie = try #require(entrance.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
      for headers in [["Cookie": cookie], ["Authorization": "Bearer \(token)"]] {
        for path in ["/", "/api/v1/status", "/api/v1/openapi.json", "/api/v1/devices/\(token)", "/\(token)"] {
          let answer = try await whole.response("GET", path, headers: headers)
          #expect(answer.status != 401)
          answers.append(answer)
        }
      }
      #expect(!(answers + [entrance]).contains { $0.body.contains(token) })
    }
  }

  @Test("I15.1 the address is taken as browsers write it, and what is not an address is refused")
  func addresses() async throws {
    try await WholeExplorer.run({ $0.address = "127.1" }) { (whole: WholeExplorer) async throws in
      #expect(whole.explorer.entrance.hasPrefix("http://127.0.0.1:") && whole.explorer.fingerprint == nil)
      #expect(try await whole.response("GET", "/api/v1/status").status == 200)
    }
    var options = WebExplorer.Options()
    for address in ["", "localhost", "127.0.0.1\u{0}", "1.2.3.4.5", "evil.example", "127.0.0.1:80", "[::1]"] {
      options.address = address
      #expect(throws: WebError.address) { _ = try ServerPlace(options) }
    }
    for address in ["127.0.0.1", "127.255.0.3", "127.1", "::1", "0:0::1"] {
      options.address = address
      #expect(options.isLoopback)
    }
    for address in ["0.0.0.0", "::", "192.0.2.1", "::ffff:127.0.0.1", "128.0.0.1"] {
      options.address = address
      #expect(!options.isLoopback)
    }
    options.address = "127.0.0.1"
    options.names = ["a,DNS:b"]
    #expect(throws: WebError.name("a,DNS:b")) { _ = try ServerPlace(options) }
  }
}
