import BLESession
import BLETestKit
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "A gateway that says where devices are", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(10)))
struct GatewayPresenceTests {
  private let scene: SharedDevice
  private static let listening = #""listen": [{"match": {"names": ["counter"]}, "every": 1}]"#
  private static let role = #""rooms": {"attic": "Under the roof"}, "presence": {}, "merge": {}"#

  init() async throws { scene = try await SharedDevice() }

  /// What was published of the device's rooms; `nowhere` for none.
  private var rooms: [String] {
    scene.subscriber.messages.filter { $0.topic.hasPrefix("ble/house/presence/") && !$0.payload.isEmpty }
      .map { $0.object["room"] as? String ?? "nowhere" }
  }

  @Test(
    "I17.3 a device that walks to another room is said to be there once, also after restarts, and is nowhere when it is gone"
  )
  func walks() async throws {
    _ = try await scene.start("house", metres: 200, role: Self.role)
    let attic = try await scene.start("attic", metres: 2, role: Self.listening)
    try await scene.until(within: .seconds(20)) { rooms == ["Under the roof"] }
    let hall = try await scene.start("hall", metres: 20, role: Self.listening)
    await scene.pass(.seconds(20))
    #expect(rooms == ["Under the roof"])
    // The device walks; here the rooms do.
    attic.adapter.move(to: Position(x: 20))
    hall.adapter.move(to: Position(x: 2))
    try await scene.until(within: .seconds(60)) { rooms.count > 1 }
    await scene.pass(.seconds(30))
    #expect(rooms == ["Under the roof", "hall"])

    try await scene.stop("house")
    let house = try await scene.start("house", metres: 200, role: Self.role)
    await scene.pass(.seconds(90))
    #expect(rooms == ["Under the roof", "hall"], "it was read back")

    scene.broker.stop()
    let deadline = ContinuousClock.now + .seconds(60)
    while [house, attic, hall].contains(where: { $0.isConnected.with { $0 } }) {
      try #require(ContinuousClock.now < deadline)
      await Task.yield()
    }
    await scene.world.advance(by: .seconds(120))
    try scene.broker.start()
    try await scene.untilConnected()
    await scene.pass(.seconds(30))
    #expect(Array(rooms.suffix(1)) == ["hall"] && !rooms.contains("nowhere"), "\(rooms)")

    for adapter in [attic.adapter, hall.adapter] { adapter.move(to: Position(x: 100_000)) }
    try await scene.until(within: .seconds(120)) { rooms.last == "nowhere" }
    let late = Subscriber(scene.broker.port, "ble/house/#")
    #expect(await late.wait { $0.contains { $0.topic == "ble/house/status" } ? true : nil } == true)
    #expect(!late.messages.contains { $0.topic.contains("/presence/") }, "the broker keeps nothing of passers-by")
    await late.stop()
    try await scene.stopAll()
  }

  @Test("I17.3 a gateway that begins knows where devices were before it takes in where they are: nothing is said twice")
  func readBack() async throws {
    func says(_ gateway: String, _ event: String, _ members: String) -> String {
      #"{"key":"\#(gateway)/1/1","event":"\#(event)","time":"2027-01-15T08:00:00.000Z","gateway":"\#(gateway)","device":"desk",\#(members)}"#
    }
    let kept = [
      ("hall/status", "online"), ("hall/device/desk/status", says("hall", "status", #""status":"online""#)),
      ("house/presence/desk", says("house", "presence", #""room":"hall""#)),
    ]
    for (topic, text) in kept { scene.subscriber.publish("ble/" + topic, text, isRetained: true) }
    _ = await scene.subscriber.wait(for: 1, on: "ble/house/presence/desk")
    _ = try await scene.start("house", metres: 200, role: Self.role)
    await scene.pass(.seconds(1))
    #expect(rooms == ["hall"])
    try await scene.stopAll()
  }

  @Test("I17.3 an advertisement that two gateways have heard is published once, with both")
  func merged() async throws {
    _ = try await scene.start("house", metres: 200, role: Self.role)
    _ = try await scene.start("attic", metres: 2, role: Self.listening)
    _ = try await scene.start("hall", metres: 4, role: Self.listening)
    await scene.pass(.seconds(10))
    _ = await scene.subscriber.wait(for: 3, on: "ble/house/merged/")
    let merged = scene.subscriber.messages.filter { $0.topic.hasPrefix("ble/house/merged/") }
    let both = try #require(merged.first { ($0.object["heard_by"] as? [Any])?.count == 2 }, "\(merged.map(\.text))")
    let heard = both.object["heard_by"] as? [[String: Any]] ?? []
    #expect(heard.map { $0["gateway"] as? String } == ["attic", "hall"])
    #expect(both.object["event"] as? String == "merged" && both.object["name"] as? String == "counter")
    #expect(both.object["key"] is String && both.object["rssi"] == nil && !both.isRetained)
    // Two gateways publish one each second; as one for each window that is at most one each second.
    #expect(merged.count <= 11, "\(merged.count)")
    try await scene.stopAll()
  }
}
