import BLEReports
import Testing

@testable import BLEWeb

@Suite("Events on their way to a client")
struct EventStreamTests {
  /// A server whose clients all listen to one hub.
  private static func run(_ hub: EventHub, _ body: (TestServer) async throws -> Void) async throws {
    let handler: WebServer.Handler = { request in
      hub.stream(after: request.query["after"].flatMap(UInt64.init)).map(WebResponse.init) ?? .text(503, "")
    }
    try await TestServer.run(handler: handler, body)
  }

  /// HTTP/1.0 has no chunks between the events: they come as they are.
  private static func listener(_ server: TestServer, after: Int, receiving: Int32? = nil) async throws -> RawClient {
    let client = try server.client(receiving: receiving)
    await client.send("GET /?after=\(after) HTTP/1.0\r\nHost: x\r\n\r\n")
    _ = try await client.read(until: "\r\n\r\n")
    return client
  }

  @Test(
    "I15.1 a client that does not read is dropped when its memory is used up, and another gets every event meanwhile")
  func slowReader() async throws {
    let hub = EventHub(first: 1)
    try await Self.run(hub) { server in
      let slow = try await Self.listener(server, after: 0, receiving: 4_096)
      let quick = try await Self.listener(server, after: 0)
      let text = JSONValue.string(String(repeating: "a", count: 16_000))
      var number = 0
      // The kernel takes some megabytes for the slow one, before the server has to keep them.
      while server.server.load.exchanges == 2 {
        for _ in 0..<16 {
          number += 1
          hub.publish("e", text)
        }
        let got = try await quick.read(until: "id: \(number)\n")
        #expect(got.components("event: e") == 15)
        _ = try await quick.read(until: "event: e\ndata: ")
        try #require(number < 8_000, "the slow one is not dropped")
        // Not when it was dropped, but when it is known to read no more, its connection is closed.
        server.server.connections.sweep()
        server.server.connections.sweep(at: .now + server.server.limits.responseTime + .seconds(1))
      }
      #expect(server.server.load.exchanges == 1)
      hub.publish("last", .null)
      _ = try await quick.read(until: "event: last\ndata: null\n\n")
      slow.close()
    }
  }

  @Test("I15.1 an event is whole, however large, and for as many clients as may listen")
  func many() async throws {
    let hub = EventHub(first: 1)
    try await Self.run(hub) { server in
      var clients: [RawClient] = []
      for _ in 0..<64 { clients.append(try await Self.listener(server, after: 0)) }
      #expect(try await server.response(to: "GET /?after=0 HTTP/1.1\r\nHost: x\r\n\r\n").status == 503)
      let text = String(repeating: "0123456789", count: 20_000)
      hub.publish("large", .string(text))
      hub.publish("small", .bool(true))
      for client in clients {
        let got = try await client.read(until: "data: true\n\n")
        #expect(got == "id: 1\nevent: large\ndata: \"\(text)\"\n\nid: 2\nevent: small\ndata: true\n\n")
      }
      hub.end()
      for client in clients { #expect(try await client.readAll().isEmpty) }
    }
  }

  @Test("I15.1 with chunks, too, the stream ends as a response ends, and its connection may be used again")
  func end() async throws {
    let hub = EventHub(first: 1)
    try await Self.run(hub) { server in
      let client = try server.client()
      await client.send("GET /?after=0 HTTP/1.1\r\nHost: x\r\n\r\n")
      let head = try await client.read(until: "\r\n\r\n")
      #expect(head.contains("Content-Type: text/event-stream") && head.contains("Transfer-Encoding: chunked"))
      hub.publish("e", .null)
      _ = try await client.read(until: "data: null\n\n\r\n")
      hub.beat()
      _ = try await client.read(until: "3\r\n:\n\n\r\n")
      hub.end()
      _ = try await client.read(until: "0\r\n\r\n")
      await client.send("GET /?after=0 HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.response().status == 503)
    }
  }

  @Test("I15.1 a client that has gone is noticed by the heartbeat, and gives its place to another")
  func gone() async throws {
    let hub = EventHub(first: 1)
    try await Self.run(hub) { server in
      for _ in 0..<64 { try await Self.listener(server, after: 0).close() }
      try await eventually("all places are free") {
        hub.beat()
        return server.server.load.exchanges == 0 && server.server.connections.count == 0
      }
      let client = try await Self.listener(server, after: 0)
      hub.publish("e", .null)
      _ = try await client.read(until: "data: null\n\n")
    }
  }

  @Test("I15.1 events are published from many threads while clients come and go: each that stays gets all in order")
  func threads() async throws {
    let hub = EventHub(first: 1)
    try await Self.run(hub) { server in
      let stays = try await Self.listener(server, after: 0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for number in 0..<100 {
              hub.publish("e", .integer(number))
              await Task.yield()
            }
          }
          group.addTask {
            for _ in 0..<10 {
              let client = try await Self.listener(server, after: 0)
              hub.beat()
              client.close()
            }
          }
        }
        try await group.waitForAll()
      }
      let got = try await stays.read(until: "id: 400\n")
      let numbers = got.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
      #expect(numbers == Array(1...400))
    }
  }
}
