import Foundation
import Testing

@testable import BLEWeb

@Suite("The token and the certificate of an explorer, read again while it serves")
struct ReloadTests {
  private static let (old, new) = (String(repeating: "0d", count: 32), String(repeating: "New-_", count: 8))

  /// Puts a file in the place of another, as programs do that replace tokens.
  static func write(_ text: String, to path: String, mode: Int = 0o600) throws {
    try? FileManager.default.removeItem(atPath: path)
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    try #require(isMade)
  }

  private static func run(_ body: (WholeExplorer, String) async throws -> Void) async throws {
    try await CertificateTests.inFolder { folder in
      let path = folder + "/token"
      try write(old + "\n", to: path)
      try await WholeExplorer.run({ $0.token = TokenFile(path) }) { whole in try await body(whole, path) }
    }
  }

  private static func status(_ whole: WholeExplorer, _ token: String) async throws -> Set<Int> {
    let cookie = "ble-token-\(whole.port)=\(token)"
    return [
      try await whole.response("GET", "/api/v1/status", headers: ["Authorization": "Bearer \(token)"]).status,
      try await whole.response("GET", "/api/v1/status", headers: ["Cookie": cookie]).status,
      // With the answer to the entrance.
      try await whole.response("GET", "/?token=\(token)").status == 303 ? 200 : 401,
    ]
  }

  /// A browser that follows the events.
  private static func follow(_ whole: WholeExplorer, _ token: String) async throws -> RawClient {
    let client = try RawClient(whole.port)
    await client.send(whole.request("GET", "/api/v1/events", headers: ["Cookie": "ble-token-\(whole.port)=\(token)"]))
    _ = try await client.read(until: "event: reset\ndata: {}\n\n")
    return client
  }

  /// Causes an event.
  private static func change(_ whole: WholeExplorer, _ token: String) async throws -> Int {
    try await whole.response(
      "PUT", "/api/v1/scan", headers: ["Authorization": "Bearer \(token)"], body: #"{"on":true}"#
    )
    .status
  }

  @Test("I15.3 the token of a file is asked for, also on the loopback address, and is in no address that is printed")
  func file() async throws {
    try await Self.run { (whole: WholeExplorer, _: String) async throws in
      #expect(whole.explorer.entrance == "http://127.0.0.1:\(whole.port)/")
      #expect(try await whole.response("GET", "/").status == 401)
      #expect(try await Self.status(whole, Self.old) == [200])
      #expect(try await Self.status(whole, Self.new) == [401])
    }
  }

  @Test("I15.3 after a reload with another token the former one opens nothing: no request, no cookie, no open stream")
  func anotherToken() async throws {
    try await Self.run { whole, path in
      let (follower, idle) = (try await Self.follow(whole, Self.old), try RawClient(whole.port))
      let shows = ["Authorization": "Bearer \(Self.old)"]
      await idle.send(whole.request("GET", "/api/v1/status", headers: shows))
      #expect(try await idle.response().status == 200)
      // Its head was admitted; its body comes after the reload.
      let slow = try RawClient(whole.port)
      let request = whole.request("PUT", "/api/v1/scan", headers: shows, body: #"{"on":false}"#)
      await slow.send(String(request.dropLast(5)))
      try Self.write(Self.new, to: path)
      #expect(try whole.explorer.reload().hasNewToken)
      #expect(try await Self.status(whole, Self.old) == [401])
      #expect(try await Self.status(whole, Self.new) == [200])
      // The last chunk of its stream, which has none.
      _ = try await follower.read(until: "\r\n0\r\n\r\n")
      await idle.send(whole.request("GET", "/api/v1/status", headers: shows))
      #expect(try await idle.response().status == 401)
      await slow.send(String(request.suffix(5)))
      #expect(try await slow.response().status == 401)
      // The same once more is no other one.
      #expect(try !whole.explorer.reload().hasNewToken)
    }
  }

  @Test("I15.3 a reload without another token drops no open stream")
  func sameToken() async throws {
    try await Self.run { whole, path in
      let follower = try await Self.follow(whole, Self.old)
      try Self.write("\(Self.old)\r\n\n", to: path)
      #expect(try !whole.explorer.reload().hasNewToken)
      #expect(try await Self.change(whole, Self.old) == 200)
      _ = try await follower.read(until: "event: call\n")
    }
  }

  @Test(
    "I15.3 a file that is no token leaves the former one in force, and says why",
    arguments: [
      ("", 0o600, "one line"), (String(repeating: "a", count: 31), 0o600, "one line"),
      (String(repeating: "a", count: 257), 0o600, "one line"), (String(repeating: "a ", count: 32), 0o600, "one line"),
      (String(repeating: "é", count: 32), 0o600, "one line"), ("\(new)\n\(old)", 0o600, "one line"),
      (String(repeating: "a", count: 10_000), 0o600, "too large"), (new, 0o644, "chmod 600"), (new, 0o640, "chmod 600"),
    ])
  func badFile(text: String, mode: Int, hint: String) async throws {
    try await Self.run { whole, path in
      let follower = try await Self.follow(whole, Self.old)
      try Self.write(text, to: path, mode: mode)
      let error = #expect(throws: WebError.self) { _ = try whole.explorer.reload() }
      guard case .token(let reason)? = error else { throw CocoaError(.featureUnsupported) }
      #expect(reason.contains(path) && reason.contains(hint) && !reason.contains(Self.new), "\(reason)")
      try FileManager.default.removeItem(atPath: path)
      #expect(throws: WebError.self) { _ = try whole.explorer.reload() }
      #expect(try await Self.status(whole, Self.old) == [200])
      #expect(try await Self.change(whole, Self.old) == 200)
      _ = try await follower.read(until: "event: call\n")
    }
  }

  @Test("I15.3 a token that was made for a run stays at a reload")
  func madeToken() async throws {
    try await WholeExplorer.run({ $0.asksForToken = true }) { whole in
      let token = try #require(whole.explorer.entrance.split(separator: "=").last.map(String.init))
      #expect(try !whole.explorer.reload().hasNewToken)
      #expect(try await Self.status(whole, token) == [200])
    }
  }
}
