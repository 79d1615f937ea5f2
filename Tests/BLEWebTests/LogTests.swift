import Foundation
import Testing

@testable import BLEWeb

@Suite("What the explorer logs")
struct LogTests {
  private static func entries(_ scene: ExplorerScene, after number: Int = 0) async throws -> [[String: Any]] {
    try #require(try await scene.ask("GET", "log/\(number)")["entries"] as? [[String: Any]])
  }

  @Test("I15.1 calls of all are in one log with their bodies, statuses and errors; what only asks is not")
  func calls() async throws {
    let scene = await ExplorerScene()
    let identifier = try await scene.connect()
    _ = try await scene.ask("POST", "devices/\(identifier)/write", #"{"characteristic":"FFF2","value":"6869"}"#)
    _ = try await scene.ask("POST", "devices/\(identifier)/read", #"{"characteristic":"FFF9"}"#)
    let calls = try await Self.entries(scene).filter { $0["kind"] as? String == "call" }
    let data = calls.compactMap { $0["data"] as? [String: Any] }
    #expect(
      data.compactMap { $0["call"] as? String } == [
        "PUT /api/v1/scan", "POST /api/v1/devices/\(identifier)/connect", "POST /api/v1/devices/\(identifier)/write",
        "POST /api/v1/devices/\(identifier)/read",
      ])
    #expect(data.compactMap { $0["status"] as? Int } == [200, 200, 200, 404])
    #expect(data[2]["body"] as? [String: String] == ["characteristic": "FFF2", "value": "6869"])
    #expect(data[2]["error"] is NSNull && (data[3]["error"] as? String)?.isEmpty == false)
    // The value that was written stands before the call that wrote it, as it came first.
    let kinds = try await Self.entries(scene).compactMap { $0["kind"] as? String }
    #expect(kinds.contains("value") && kinds.contains("session") && !kinds.contains("devices"))
  }

  @Test("I15.1 a passkey that was typed is not in the log")
  func passkey() async throws {
    let scene = await ExplorerScene()
    _ = try await scene.ask("POST", "pairings/7", #"{"accept":true,"passkey":"271828"}"#)
    let log = try await scene.ask("GET", "log")
    #expect(log.text.contains("pairings/7") && !log.text.contains("271828"))
  }

  @Test(
    "I15.1 a page that has a part of the log asks for the rest", arguments: ["x", "-1", "1.5", "18446744073709551616"])
  func rest(bad: String) async throws {
    let scene = await ExplorerScene()
    _ = try await scene.ask("PUT", "scan", #"{"on":true}"#)
    let all = try await Self.entries(scene)
    let number = try #require(all.first?["number"] as? Int)
    #expect(try await Self.entries(scene, after: number).count == all.count - 1)
    #expect(try await scene.ask("GET", "log/\(bad)").status == 400)
    #expect(try await scene.ask("GET", "packets/\(bad)/2").status == 400)
    // A world keeps no packets for the explorer.
    #expect(try await scene.ask("GET", "packets/1/2").status == 409)
  }
}
