import BLEReports
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLESession
@testable import BLEWeb

@Suite("A device with much to say", .timeLimit(.minutes(10)))
struct LoadTests {
  private static let notifying = 50
  private static let rate = 60

  /// 200 services, of which 50 notify.
  private static func crowd() async -> (ExplorerScene, [CBMutableCharacteristic]) {
    let services = (0..<200).map { number in
      let uuid = String(0xA000 + number, radix: 16, uppercase: true)
      let value = CBMutableCharacteristic(
        String(0xB000 + number, radix: 16, uppercase: true), number < notifying ? [.read, .notify] : [.read])
      return CBMutableService(uuid, [value])
    }
    let scene = await ExplorerScene(services: services, advertises: [])
    return (scene, services.prefix(notifying).compactMap { $0.characteristics?.first as? CBMutableCharacteristic })
  }

  @Test(
    "I15.1 of 60 notifications a second on each of 50 characteristics of a device with 200 services all are counted, in their order, and what is kept is bounded"
  )
  func load() async throws {
    let (scene, characteristics) = await Self.crowd()
    let device = "devices/\(try await scene.connect())"
    #expect((try await scene.ask("GET", device)["services"] as? [Any])?.count == 200)
    for one in characteristics {
      let body = #"{"characteristic":"\#(one.uuid.uuidString)"}"#
      #expect(try await scene.ask("POST", "\(device)/subscribe", body).status == 200)
    }
    let seconds = 1
    let total = seconds * Self.rate * Self.notifying
    let before = scene.explorer.hub.last
    for tick in 0..<seconds * Self.rate {
      for one in characteristics {
        let value = Data([UInt8(tick & 0xFF), UInt8(tick >> 8)])
        // A link carries less than that on some systems: what has no room waits.
        while !scene.peripheral.manager.updateValue(value, for: one, onSubscribedCentrals: nil) {
          await scene.world.advance(by: .milliseconds(5))
        }
      }
      await scene.world.advance(by: .microseconds(1_000_000 / Self.rate))
    }
    // The events are made by threads that the world does not know.
    func published() -> Int {
      scene.explorer.hub.log(after: before, count: 20_000).count { $0.kind == "value" }
    }
    for _ in 0..<10_000 where published() < total {
      await scene.world.advance(by: .milliseconds(20))
      await Task.yield()
    }
    let status = try await scene.ask("GET", device)
    let subscriptions = try #require(status["subscriptions"] as? [[String: Any]])
    let each = seconds * Self.rate
    for (member, expected) in [("values", each), ("octets", 2 * each), ("dropped", 0)] {
      #expect(subscriptions.allSatisfy { $0[member] as? Int == expected }, "\(member)")
    }
    let history = try await scene.ask("GET", "\(device)/values")
    let values = try #require(history["values"] as? [[String: Any]])
    #expect(values.count == total)
    for one in characteristics {
      let own = values.filter { $0["characteristic"] as? String == one.uuid.uuidString }
      #expect(own.compactMap { $0["number"] as? Int } == Array(1...each))
      let octets = own.compactMap { ($0["value"] as? [String: Any])?["hex"] as? String }
      let expected = (0..<each).map { Data([UInt8($0 & 0xFF), UInt8($0 >> 8)]).hexadecimal }
      #expect(octets == expected)
    }
    #expect(scene.explorer.hub.keptSize <= EventHub.Limits().keptSize)
  }

  @Test("I15.1 values that come faster than they are handled are dropped and counted, and news are not")
  func overload() {
    let reports = DeviceReports()
    var dropped = 0
    for _ in 0..<20_000 {
      let value = DeviceReports.NotifiedValue(
        path: .init(.of("FF11")), octets: [0], time: .zero, counts: SubscriptionCounts())
      if !reports.tell(.notified(value)) { dropped += 1 }
    }
    #expect(dropped == 20_000 - 16_384)
    #expect(reports.tell(.news(DeviceNews(time: .zero, event: .servicesChanged))))
    reports.taken()
    reports.taken()
    let value = DeviceReports.NotifiedValue(
      path: .init(.of("FF11")), octets: [0], time: .zero, counts: SubscriptionCounts())
    #expect(reports.tell(.notified(value)) && !reports.tell(.notified(value)))
  }

  @Test(
    "I15.1 the history of a device is bounded in values and in octets, and a quiet characteristic keeps its last value")
  func history() {
    var history = ValueHistory()
    let quiet = CharacteristicPath(.of("FF11"), in: .of("FF10"))
    history.record(HistoricValue(time: .zero, way: .read, octets: [1]), of: quiet)
    for number in 0..<2_000 {
      for busy in 0..<100 {
        let path = CharacteristicPath(.of("FF12"), in: .of("FF10"), instance: busy)
        let octets = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 512)
        history.record(HistoricValue(time: .seconds(number), way: .notified, octets: octets), of: path)
      }
    }
    #expect(history.octets <= 100 * (64 << 10) + 512)
    guard case .object(let members) = history.json, case .array(let values)? = members.first?.value else {
      Issue.record("no values")
      return
    }
    #expect(values.count == 100 * 128 + 1)
  }
}
