import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "Faults in a fleet of gateways", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(10)))
struct FleetFaultTests {
  private let scene: SharedDevice
  private static let lease = "ble/fleet/lease/desk"

  init() async throws { scene = try await SharedDevice() }

  private var leases: [Lease] { scene.leases }

  @Test(
    "I17.3 a gateway that ends releases the device with the number of its last value, and another one takes it"
  )
  func holderEnds() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 6)
    // The other one has heard the device by then.
    await scene.pass(.seconds(3), counting: true)
    let counted = scene.counted
    try await scene.stop("attic")
    try await scene.until(within: .seconds(5), counting: true) { hall.holds }
    await scene.pass(.seconds(2), counting: true)
    await scene.expectAllValues()
    let released = try #require(leases.first { $0.phase == .released })
    #expect(released.holder.gateway == "attic" && released.last ?? 0 >= counted, "\(released)")
    try await scene.stopAll()
  }

  @Test(
    "I17.3 nonsense, an old lease and an empty message on the lease's topic change nothing, and are replaced"
  )
  func nonsense() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let old = try #require(leases.first)
    let nonsense = [
      "{", #"{"format":"ble-gateway/0"}"#, LeaseMessage.lease(old).payload, "",
      String(repeating: "[", count: 9_000),
    ]
    for text in nonsense {
      let count: @Sendable ([BrokerMessage]) -> Int = {
        $0.count { $0.topic == Self.lease && $0.text == text }
      }
      let before = count(scene.subscriber.messages)
      scene.subscriber.publish(Self.lease, text, isRetained: true)
      let hasArrived = await scene.subscriber.wait { count($0) > before ? true : nil }
      #expect(hasArrived == true)
      await scene.pass(.seconds(3), counting: true)
      let lease = try #require(leases.last)
      #expect(
        lease.phase == .held && lease.holder.gateway == "attic" && attic.holds, "\(text.prefix(40))"
      )
      #expect(scene.subscriber.messages.last { $0.topic == Self.lease }?.text != text)
    }
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 while the broker is away a holder keeps its device, and all its values arrive when the broker is back")
  func brokerRestarts() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 6)
    scene.broker.stop()
    await scene.pass(.seconds(8), counting: true)
    #expect(attic.holds && !hall.holds)
    try scene.broker.start()
    try await scene.untilConnected()
    await scene.pass(.seconds(5), counting: true)
    #expect(attic.holds && !hall.holds && Set(leases.map(\.epoch)).count == 1)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 with let_go a holder without a broker ends the link when its lease has expired")
  func letsGo() async throws {
    let attic = try await scene.start("attic", metres: 2, fleet: #"{"without_broker": "let_go"}"#)
    try await scene.until(within: .seconds(10)) { attic.holds }
    scene.broker.kill()
    let time = try await scene.until(within: .seconds(10)) {
      !attic.holds && scene.counter.centrals.isEmpty
    }
    #expect(time >= .seconds(2) && time <= .seconds(5), "\(time)")
    try scene.broker.start()
    try await scene.untilConnected()
    try await scene.stopAll()
  }

  @Test(
    "I17.3 of two gateways of one name one has the device in the end, and no stamp is used for two values"
  )
  func oneName() async throws {
    let first = try await scene.start("attic", metres: 2, process: "first")
    try await scene.until(within: .seconds(10)) { first.holds && leases.last?.phase == .held }
    let holder = try #require(leases.last).holder
    let second = try await scene.start("attic", metres: 3, process: "second")
    await scene.pass(.seconds(20), counting: true)
    #expect(first.holds || second.holds)
    try await scene.stop("second")
    // While they throw each other off the broker, each may believe that it holds the device, and values of a lease
    // that is lost are not published: what the broker has says when that is over.
    try await scene.until(within: .seconds(60)) {
      first.holds && leases.last.map { $0.holder == holder && $0.phase == .held } == true
    }
    // What the second has still said with the first's name is answered in the next seconds: another loss may follow.
    await scene.pass(.seconds(15), counting: true)
    try await scene.until(within: .seconds(60), counting: true) {
      first.holds && leases.last.map { $0.holder == holder && $0.phase == .held } == true
    }
    let before = scene.counted
    await scene.pass(.seconds(2), counting: true)
    #expect(scene.counter.centrals.count == 1)
    let isWhole = await scene.subscriber.wait { messages in
      let counts = Set(messages.compactMap(SharedDevice.value).compactMap { Int($0.text) })
      return counts.isSuperset(of: before + 1...scene.counted) ? true : nil
    }
    #expect(isWhole == true)
    var texts: [ValueStamp: String] = [:]
    for (stamp, text) in scene.subscriber.messages.compactMap(SharedDevice.value) {
      #expect(texts.updateValue(text, forKey: stamp) ?? text == text)
    }
    try await scene.stopAll()
  }

  @Test(
    "I17.3 a command is done by the holder, and the other gateway answers at once that it does not hold the device"
  )
  func commands() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    _ = try await scene.start("hall", metres: 6)
    let deadline = ISO8601DateFormatter().string(
      from: GatewayScene.beginning.addingTimeInterval(3_000))
    for gateway in ["hall", "attic"] {
      scene.subscriber.publish(
        "ble/\(gateway)/device/desk/command",
        #"{"id": "1", "write": "FFF0/FFF2", "value": {"utf8": "on"}, "deadline": "\#(deadline)"}"#)
    }
    await scene.pass(.seconds(2))
    for (gateway, outcome) in [("hall", "not-held"), ("attic", "done")] {
      let answer = await scene.subscriber.wait(for: 1, on: "ble/\(gateway)/device/desk/answer")
        .first?.object
      #expect(answer?["outcome"] as? String == outcome, "\(gateway)")
    }
    #expect(scene.counter.batches.count == 1)
    try await scene.stopAll()
  }
}
