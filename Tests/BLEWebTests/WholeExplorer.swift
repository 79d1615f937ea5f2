import BLESession
import BLETestKit
import Foundation
import Testing

@testable import BLEWeb

/// An explorer on a simulated phone, with its server.
final class WholeExplorer: Sendable {
  let explorer: WebExplorer
  let port: UInt16
  private let world: World

  init(_ options: WebExplorer.Options = WebExplorer.Options()) throws {
    var options = options
    options.port = 0
    options.limits = .patient
    world = World()
    let central = Central(options: world.makeDevice("phone").options, clock: world.clock)
    explorer = try WebExplorer(
      central: central, surroundings: ExplorerSurroundings(adapter: "a radio", version: "0"), options: options)
    port = try #require(URL(string: explorer.entrance)?.port.flatMap(UInt16.init(exactly:)))
  }

  /// The response to one request on a connection of its own.
  func response(
    _ method: String, _ target: String, headers: [String: String] = [:], body: String = ""
  ) async throws -> RawClient.Response {
    let client = try RawClient(port)
    defer { client.close() }
    await client.send(request(method, target, headers: headers, body: body))
    return try await client.response(to: method)
  }

  func request(_ method: String, _ target: String, headers: [String: String] = [:], body: String = "") -> String {
    var lines = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { lines += "\(name): \(value)\r\n" }
    if !body.isEmpty { lines += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    return lines + "\r\n" + body
  }

  static func run(
    _ change: (inout WebExplorer.Options) -> Void = { _ in }, _ body: (WholeExplorer) async throws -> Void
  ) async throws {
    var options = WebExplorer.Options()
    change(&options)
    let whole = try WholeExplorer(options)
    await whole.explorer.start()
    do {
      try await body(whole)
    } catch {
      await whole.explorer.stop()
      throw error
    }
    await whole.explorer.stop()
  }
}
