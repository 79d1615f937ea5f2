import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("Measuring the throughput of a link", .timeLimit(.minutes(10)))
struct ThroughputTests {
  private static func scene() async throws -> (ExplorerScene, String) {
    let scene = await ExplorerScene()
    return (scene, "devices/\(try await scene.connect())")
  }

  @Test("I15.1 a measurement writes so many octets without response, and its end is when the last have arrived")
  func measure() async throws {
    let (scene, device) = try await Self.scene()
    let start = scene.world.now
    let answer = try await scene.ask("POST", "\(device)/throughput", #"{"characteristic":"FFF2","octets":100001}"#)
    let passed = (scene.world.now - start) / .seconds(1)
    let written = scene.peripheral.batches.joined().reduce(0) { $0 + ($1.value?.count ?? 0) }
    #expect(answer.status == 200 && written == 100_001, "\(written): \(answer)")
    #expect(answer["state"] as? String == "done" && answer["octets"] as? Int == 100_001)
    let seconds = try #require(answer["seconds"] as? Double)
    #expect(seconds > 0.1 && seconds <= passed + 0.001, "\(seconds) of \(passed)")
    let rate = try #require(answer["octets_per_second"] as? Double)
    #expect(abs(rate - 100_001 / seconds) < rate / 500, "\(rate)")
    #expect(try await scene.ask("GET", "\(device)/throughput")["octets_per_second"] as? Double == rate)
    let entries = scene.explorer.hub.log(after: 0, count: 10_000).filter { $0.kind == "throughput" }
    #expect(entries.count >= 3 && entries.contains { $0.data.contains("\"running\"") }, "\(entries.map(\.data))")
  }

  @Test("I15.1 one measurement is under way for a device; another browser can cancel it")
  func cancel() async throws {
    let (scene, device) = try await Self.scene()
    let first = scene.begin("POST", "\(device)/throughput", #"{"characteristic":"FFF2","octets":16777216}"#)
    try await scene.eventually("\(device)/throughput") { ($0["octets"] as? Int ?? 0) > 1_000 }
    let second = try await scene.ask("POST", "\(device)/throughput", #"{"characteristic":"FFF2"}"#)
    #expect(second.status == 409, "\(second)")
    #expect(try await scene.ask("DELETE", "\(device)/throughput").status == 200)
    let ended = try await scene.end(first)
    #expect(ended["state"] as? String == "cancelled" && ended["message"] is String, "\(ended)")
    #expect((ended["octets"] as? Int ?? 0) < 16_777_216)
    #expect(try await scene.ask("DELETE", "\(device)/throughput").status == 409)
    let again = try await scene.ask(
      "POST", "\(device)/throughput", #"{"characteristic":"FFF2","octets":1000,"length":20}"#)
    #expect(again["state"] as? String == "done" && again["value_length"] as? Int == 20, "\(again)")
  }

  @Test("I15.1 a measurement ends with the link, and what cannot be measured is refused")
  func refusals() async throws {
    let (scene, device) = try await Self.scene()
    let cases: [(String, Int)] = [
      (#"{"characteristic":"2A19"}"#, 400), (#"{"characteristic":"FFFF"}"#, 404),
      (#"{"characteristic":"FFF2","octets":0}"#, 400), (#"{"characteristic":"FFF2","octets":16777217}"#, 400),
      (#"{"characteristic":"FFF2","length":513}"#, 400), (#"{"octets":1}"#, 400),
    ]
    for (body, status) in cases {
      let answer = try await scene.ask("POST", "\(device)/throughput", body)
      #expect(answer.status == status, "\(body): \(answer)")
    }
    let running = scene.begin("POST", "\(device)/throughput", #"{"characteristic":"FFF2","octets":16777216}"#)
    try await scene.eventually("\(device)/throughput") {
      $0["state"] as? String == "running" && ($0["octets"] as? Int ?? 0) > 1_000
    }
    scene.other.cutPower()
    let ended = try await scene.end(running)
    #expect(ended["state"] as? String == "cancelled" || ended.status == 424, "\(ended)")
    #expect(try await scene.ask("GET", "\(device)/throughput")["state"] as? String != "running")
  }
}
