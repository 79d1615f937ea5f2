import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "Gateways that share a device are reloaded", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(10)))
struct FleetReloadTests {
  private let scene: SharedDevice

  init() async throws { scene = try await SharedDevice() }

  private static let others = #""fleet": {}, "devices": [{"name": "other", "match": {"names": ["none"]}}]"#
  private static func desk(_ more: String = "", match: String = "counter", fleet: String = "{}") -> String {
    #""fleet": \#(fleet), "devices": [{"name": "desk", "match": {"names": ["\#(match)"]}\#(more)}]"#
  }

  private var epochs: Set<Int> { Set(scene.leases.map(\.epoch)) }

  @Test("I17.3 a device that a reload removes goes to another gateway at once, with all its values, and can come again")
  func removed() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 3)
    await scene.pass(.seconds(3), counting: true)
    let counted = scene.counted
    let changes = try await scene.reload("attic", Self.others, counting: true)
    #expect(changes == GatewayChanges(added: ["other"], removed: ["desk"]) && !attic.holds)
    let gap = try await scene.until(within: .seconds(5), counting: true) { hall.holds }
    #expect(gap <= .seconds(3), "\(gap)")
    let released = try #require(scene.leases.first { $0.phase == .released })
    #expect(released.holder.gateway == "attic" && released.last ?? 0 >= counted, "\(released)")
    await scene.pass(.seconds(3), counting: true)
    #expect(hall.holds && !attic.holds && scene.counter.centrals.count == 1)
    // It is followed again, and taken when it is free.
    _ = try await scene.reload("attic", Self.desk(), counting: true)
    await scene.pass(.seconds(3), counting: true)
    #expect(hall.holds && !attic.holds)
    _ = try await scene.reload("hall", Self.others, counting: true)
    try await scene.until(within: .seconds(5), counting: true) { attic.holds }
    await scene.pass(.seconds(2), counting: true)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test(
    "I17.3 a device that a reload changes keeps its lease, and its values are numbered on",
    arguments: [
      #", "read": ["180F/2A19"], "read_every": 5"#, #", "values": ["FFF0/FFF1"]"#, #", "rssi_every": 2"#,
      #", "commands": {"write": ["FFF0/FFF1"]}"#,
    ])
  func changed(_ more: String) async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 12)
    await scene.pass(.seconds(2), counting: true)
    let changes = try await scene.reload("attic", Self.desk(more), counting: true)
    #expect(changes == GatewayChanges(changed: ["desk"]))
    try await scene.until(within: .seconds(5), counting: true) { scene.counter.subscribers.count == 2 }
    await scene.pass(.seconds(3), counting: true)
    #expect(attic.holds && !hall.holds && epochs.count == 1, "\(scene.leases)")
    // The same again changes nothing.
    #expect(try await scene.reload("attic", Self.desk(more)).isEmpty)
    await scene.pass(.seconds(1), counting: true)
    #expect(scene.counter.subscribers.count == 2)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 a device whose rule is another one is released, and taken again when it is heard")
  func otherRule() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    await scene.pass(.seconds(1), counting: true)
    _ = try await scene.reload("attic", Self.desk(match: "nothing"), counting: true)
    await scene.pass(.seconds(3), counting: true)
    #expect(!attic.holds && scene.leases.last?.phase == .released && scene.counter.centrals.isEmpty)
    _ = try await scene.reload("attic", Self.desk(), counting: true)
    try await scene.until(within: .seconds(5), counting: true) { attic.holds }
    await scene.pass(.seconds(1), counting: true)
    #expect(epochs.count == 2)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test(
    "I17.3 a device that is removed while the broker is away is released when the broker is back",
    arguments: [false, true])
  func withoutBroker(comesAgain: Bool) async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 6)
    await scene.pass(.seconds(2), counting: true)
    scene.broker.stop()
    await scene.pass(.seconds(2), counting: true)
    _ = try await scene.reload("attic", Self.others, counting: true)
    #expect(!attic.holds && scene.counter.centrals.isEmpty)
    if comesAgain { _ = try await scene.reload("attic", Self.desk(), counting: true) }
    await scene.pass(.seconds(5), counting: true)
    try scene.broker.start()
    try await scene.untilConnected()
    try await scene.until(within: .seconds(8), counting: true) { hall.holds || comesAgain && attic.holds }
    await scene.pass(.seconds(3), counting: true)
    #expect(hall.holds != attic.holds)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test(
    "I17.3 a device that is removed while its lease is being claimed is free within seconds",
    arguments: [200, 500, 800])
  func whileClaimed(milliseconds: Int) async throws {
    let hall = try await scene.start("hall", metres: 3, role: Self.others)
    let attic = try await scene.start("attic", metres: 2)
    await scene.pass(.milliseconds(milliseconds), counting: true)
    _ = try await scene.reload("attic", Self.others, counting: true)
    _ = try await scene.reload("hall", Self.desk(), counting: true)
    try await scene.until(within: .seconds(6), counting: true) { hall.holds }
    await scene.pass(.seconds(1), counting: true)
    #expect(!attic.holds && scene.counter.centrals.count == 1)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 of reloads that come one upon another the last counts, and no stamp is used for two values")
  func oneUponAnother() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 6)
    await scene.pass(.seconds(2), counting: true)
    let roles = [
      Self.others, Self.desk(), Self.desk(#", "rssi_every": 2"#), Self.others, Self.desk(#", "rssi_every": 3"#),
    ]
    let last = try await scene.reload("attic", roles, counting: true)
    #expect(last.map(\.removed) == [["desk"], ["other"], [], ["desk"], ["other"]])
    try await scene.until(within: .seconds(10), counting: true) { attic.holds || hall.holds }
    await scene.pass(.seconds(3), counting: true)
    #expect(attic.holds != hall.holds && scene.counter.centrals.count == 1)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 a device can leave the fleet, is kept by its gateway alone, and comes back with a lease")
  func leavesFleet() async throws {
    let more = #", {"name": "other", "match": {"names": ["none"]}}]"#
    func role(_ fleet: String) -> String { Self.desk(fleet: fleet).dropLast() + more }
    let attic = try await scene.start("attic", metres: 2, role: role("{}"))
    try await scene.until(within: .seconds(10)) { attic.holds }
    await scene.pass(.seconds(1), counting: true)
    for round in 1...2 {
      let changes = try await scene.reload("attic", role(#"{"devices": ["other"]}"#), counting: true)
      #expect(changes == GatewayChanges(changed: ["desk"]))
      try await scene.until(within: .seconds(5)) { !scene.counter.centrals.isEmpty }
      #expect(!attic.holds && scene.leases.last?.phase == .released)
      await scene.pass(.seconds(2))
      _ = try await scene.reload("attic", role("{}"))
      try await scene.until(within: .seconds(5)) { attic.holds }
      await scene.pass(.seconds(1), counting: true)
      #expect(epochs.count == round + 1)
    }
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 the settings of the fleet itself take a restart")
  func settings() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    for role in [Self.desk(fleet: #"{"hysteresis": 9}"#), Self.desk(fleet: #"{"without_broker": "let_go"}"#)] {
      await #expect(throws: GatewayNeedsRestart(member: "fleet")) { try await scene.reload("attic", role) }
    }
    #expect(attic.holds && scene.counter.subscribers.count == 1)
    try await scene.stopAll()
  }
}
