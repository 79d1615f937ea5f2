import BLEReports
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEWeb

@Suite("What devices advertise", .timeLimit(.minutes(10)))
struct AdvertisementTests {
  private static func sighting(_ data: [UInt8], of identifier: UUID = UUID(), rssi: Int? = -50) -> Sighting {
    Sighting(
      identifier: identifier, address: nil, name: nil, rssi: rssi, isConnectable: true, services: [],
      solicitedServices: [], overflowServices: [], manufacturerData: data, serviceData: [], txPower: nil)
  }

  private static func entries(_ history: AdvertisementHistory, _ identifier: UUID) throws -> [[String: Any]] {
    let text = try #require(history.json(of: identifier)).text
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return try #require(document?["advertisements"] as? [[String: Any]])
  }

  @Test(
    "I15.1 the history of a device's advertisements has an entry for each change, with its time, its repeats, its strengths, and what has changed"
  )
  func changes() async throws {
    let scene = await ExplorerScene(advertises: [])
    let beacon = "4c000215b5b182c7eab14988aa99b5c1517008d90001cf64"
    scene.other.setManufacturerData(Array(try Hexadecimal.decode(beacon + "c5")))
    let path = "devices/\(try await scene.find())"
    try await scene.eventually("devices") {
      $0["devices", 0, "beacons", 0, "fields", 3, "value"] as? Int == 1
        && $0["devices", 0, "beacons", 0, "format"] as? String == "iBeacon"
    }
    func last(_ answer: ExplorerScene.Answer) -> [String: Any]? {
      (answer["advertisements"] as? [[String: Any]])?.last
    }
    try await scene.eventually("\(path)/advertisements") { (last($0)?["count"] as? Int ?? 0) > 20 }
    scene.other.setManufacturerData(Array(try Hexadecimal.decode(beacon + "bd")))
    let answer = try await scene.eventually("\(path)/advertisements") {
      last($0)?["manufacturer_data"] as? String == beacon + "bd" && (last($0)?["count"] as? Int ?? 0) > 20
    }
    let entry = try #require(last(answer))
    #expect(entry["changed"] as? [String] == ["manufacturer_data", "beacons"])
    let (least, greatest) = (entry["rssi_min"] as? Int ?? 1, entry["rssi_max"] as? Int ?? -200)
    #expect(least <= greatest && (-100...0).contains(least) && (-100...0).contains(greatest))
    let all = try #require(answer["advertisements"] as? [[String: Any]])
    #expect(all.compactMap { $0["number"] as? Int } == Array(1...all.count))
    for (one, next) in zip(all, all.dropFirst()) {
      #expect(one["last_seen_ms"] as? Int ?? .max <= next["first_seen_ms"] as? Int ?? 0)
    }
    #expect(try await scene.ask("GET", "devices/\(UUID())/advertisements").status == 404)
    #expect(try await scene.ask("GET", "devices/x/advertisements").status == 400)
  }

  @Test("I15.1 repeats of an advertisement are counted with the one that they repeat, also when a scan begins again")
  func repeats() throws {
    var (history, identifier) = (AdvertisementHistory(), UUID())
    func record(_ octet: UInt8, _ second: Int, _ count: Int, _ rssi: Int?) {
      let sighting = Self.sighting([0xFF, 0xFF, octet], of: identifier, rssi: rssi)
      history.record(sighting, at: .seconds(second), count: count)
    }
    record(1, 1, 1, -50)
    record(1, 2, 11, -70)
    record(1, 3, 21, nil)
    record(2, 4, 30, -60)
    // The list of devices counts from 1 again.
    record(2, 5, 1, -61)
    record(2, 6, 4, -59)
    let entries = try Self.entries(history, identifier)
    #expect(entries.map { $0["count"] as? Int } == [29, 5])
    #expect(entries.map { $0["rssi_min"] as? Int } == [-70, -61])
    #expect(entries.map { $0["rssi_max"] as? Int } == [-50, -59])
    #expect(entries.map { $0["first_seen_ms"] as? Int } == [1_000, 4_000])
    #expect(entries.map { $0["last_seen_ms"] as? Int } == [3_000, 6_000])
    #expect(entries.map { $0["changed"] as? [String] } == [[], ["manufacturer_data"]])
  }

  @Test("I15.1 the history is bounded for each device and for all, and a device that is forgotten leaves nothing")
  func bounds() throws {
    var limits = AdvertisementHistory.Limits()
    limits.size = 400_000
    var history = AdvertisementHistory(limits)
    let devices = (0..<50).map { _ in UUID() }
    for number in 0..<300 {
      for device in devices {
        let data = [0xFF, 0xFF] + (0..<200).map { UInt8(truncatingIfNeeded: number + $0) }
        history.record(Self.sighting(data, of: device), at: .seconds(number), count: number + 1)
        #expect(history.size <= limits.size)
      }
    }
    for device in devices {
      let numbers = try Self.entries(history, device).compactMap { $0["number"] as? Int }
      #expect(numbers.count <= 100 && numbers.last == 300 && numbers == Array((301 - numbers.count)...300))
    }
    for device in devices { history.forget(device) }
    #expect(history.size == 0 && history.json(of: devices[0]) == nil)
    var one = AdvertisementHistory()
    for number in 0..<300 {
      one.record(Self.sighting([0xFF, 0xFF, UInt8(number & 0xFF)], of: devices[0]), at: .zero, count: number + 1)
    }
    #expect(try Self.entries(one, devices[0]).count == 100)
  }
}
