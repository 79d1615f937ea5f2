import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "Gateways that share a device", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct FleetTests {
  private let scene: SharedDevice

  init() async throws { scene = try await SharedDevice() }

  @Test("I17.3 of two gateways that hear a device one connects, and its values have stamps that count")
  func oneConnects() async throws {
    let attic = try await scene.start("attic", metres: 2)
    let hall = try await scene.start("hall", metres: 12)
    try await scene.until(within: .seconds(10)) { attic.holds || hall.holds }
    await scene.pass(.seconds(5), counting: true)
    #expect(scene.counter.subscribers.count == 1 && attic.holds != hall.holds)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 a holder whose machine hangs is replaced within 5 s, and lets go when it is back")
  func holderHangs() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 6)
    await scene.pass(.seconds(5), counting: true)
    scene.hang("attic")
    let gap = try await scene.until(within: .seconds(20)) { hall.holds }
    #expect(gap <= .seconds(5), "\(gap)")
    await scene.pass(.seconds(2), counting: true)
    scene.wake("attic")
    try await scene.until(within: .seconds(5)) { !attic.holds }
    await scene.pass(.seconds(5), counting: true)
    #expect(hall.holds)
    await scene.expectAllValues()
    try await scene.stopAll()
  }

  @Test("I17.3 a gateway that hears a device better takes it over, no value is lost or comes twice")
  func strongerTakesOver() async throws {
    let attic = try await scene.start("attic", metres: 2)
    try await scene.until(within: .seconds(10)) { attic.holds }
    let hall = try await scene.start("hall", metres: 3)
    await scene.pass(.seconds(40), counting: true)
    #expect(attic.holds && !hall.holds, "it is not stronger by the hysteresis")
    attic.adapter.move(to: Position(x: 30))
    try await scene.until(within: .seconds(60), counting: true) { hall.holds }
    #expect(!attic.holds)
    await scene.pass(.seconds(5), counting: true)
    await scene.expectAllValues()
    try await scene.stopAll()
  }
}
