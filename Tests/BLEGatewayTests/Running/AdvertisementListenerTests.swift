import BLEReports
import BLESession
import Foundation
import Testing

@testable import BLEGateway

@Suite("Which advertisements are published")
struct AdvertisementListenerTests {
  private let device = UUID()

  private func discovery(
    _ name: String, _ rssi: Int, at seconds: Double, from identifier: UUID? = nil
  ) -> Discovery {
    Discovery(identifier: identifier ?? device, name: name, rssi: rssi, lastSeen: .milliseconds(Int64(seconds * 1_000)))
  }

  @Test(
    "I17.1 a changed advertisement is published at once, or after the shortest time; its strength alone is no change")
  func changes() {
    let listener = AdvertisementListener(.init(rule: .any, leastInterval: .seconds(2)))
    #expect(listener.take(discovery("a", -40, at: 0), address: nil)?.smoothed == -40)
    #expect(listener.take(discovery("a", -80, at: 5), address: nil) == nil)
    let changed = listener.take(discovery("b", -40, at: 6), address: nil)
    #expect(changed?.sighting.name == "b" && changed?.smoothed == -47.5)
    #expect(listener.take(discovery("c", -40, at: 7), address: nil) == nil)
    #expect(
      listener.take(discovery("c", -40, at: 8), address: nil)?.sighting.name == "c", "it is reported later, not never")
  }

  @Test(
    "I17.1 with an interval an unchanged advertisement is published again after it, and with on_change false only then")
  func intervals() {
    let listener = AdvertisementListener(.init(rule: .any, onChange: false, interval: .seconds(10)))
    #expect(listener.take(discovery("a", -40, at: 0), address: nil) != nil)
    #expect(listener.take(discovery("b", -40, at: 9), address: nil) == nil)
    #expect(listener.take(discovery("b", -40, at: 10), address: nil)?.sighting.name == "b")
  }

  @Test("I17.1 an advertisement that is too weak is not published; what it has changed comes with a stronger one")
  func weak() {
    let listener = AdvertisementListener(.init(rule: .any, weakest: -70))
    #expect(listener.take(discovery("a", -71, at: 0), address: nil) == nil && listener.count == 0)
    #expect(listener.take(discovery("a", -70, at: 1), address: nil)?.smoothed == -70)
    #expect(listener.take(discovery("b", -90, at: 3), address: nil) == nil)
    #expect(listener.take(discovery("b", -60, at: 5), address: nil)?.sighting.name == "b")
  }

  @Test("I17.1 a crowd of devices takes no more memory than is allowed: the one heard longest ago is forgotten")
  func crowd() {
    let listener = AdvertisementListener(.init(rule: .any, devices: 10))
    for number in 0..<1_000 {
      let own = UUID()
      #expect(listener.take(discovery("x", -40, at: Double(number), from: own), address: nil) != nil)
      #expect(listener.take(discovery("x", -40, at: Double(number), from: own), address: nil) == nil)
    }
    #expect(listener.count == 10)
  }

  @Test("I17.1 a flood of random addresses costs each advertisement the same, however many devices are followed")
  func flood() {
    let (most, flood) = (1_000, 20_000)
    let listener = AdvertisementListener(.init(rule: .any, devices: most))
    let kept = UUID()
    for number in 0..<flood {
      _ = listener.take(discovery("x", -40, at: Double(number), from: UUID()), address: nil)
      if number % 100 == 0 { _ = listener.take(discovery("y", -40, at: Double(number), from: kept), address: nil) }
    }
    #expect(listener.count == most)
    #expect(listener.steps <= 4 * flood, "a search among all would look at \(most * flood)")
    // One that is heard again and again is never the oldest. Had it been forgotten, it would be published as a new one.
    let again = listener.take(discovery("y", -40, at: Double(flood), from: kept), address: nil)
    #expect(again == nil, "it is followed, and has not changed")
  }
}
