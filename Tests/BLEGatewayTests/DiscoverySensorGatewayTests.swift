import BLECore
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "Home Assistant and sensors that only advertise", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing),
  .timeLimit(.minutes(10)))
struct DiscoverySensorGatewayTests {
  private let scene: GatewayScene
  private let home: Subscriber

  init() async throws {
    scene = try GatewayScene(TestBroker())
    home = Subscriber(scene.broker.port, "homeassistant/+/+/config", "ble/attic/#")
    try #require(await home.connected())
  }

  private static let announcing = #""listen": [{"every": 2, "home_assistant": true}], "home_assistant": true"#
  private let sensor = UUID()

  private func configs(_ name: String) -> [BrokerMessage] {
    home.messages.filter { $0.topic.hasSuffix("\(sensor.uuidString)_-measurement_-\(name)/config") }
  }

  private func heard(_ measurements: String, at seconds: Int64) -> Discovery {
    var discovery = Discovery(identifier: sensor, name: nil, rssi: -50, lastSeen: .seconds(seconds))
    let octets = [0x40] + ([UInt8](hexadecimal: measurements) ?? [])
    discovery.advertisement.serviceData = [CBUUID(string: "FCD2"): Data(octets)]
    return discovery
  }

  @Test("I17.1 a sensor is announced when it is heard, again after a restart, and taken back when it is not wanted")
  func announced() async throws {
    let phone = scene.world.makeDevice("phone")
    let configuration = try scene.configuration(Self.announcing)
    let rule = try #require(configuration.listening.first)
    let listener = AdvertisementListener(rule)
    let gateway = try await scene.start(configuration, on: phone)
    gateway.hear(heard("02CA09", at: 1), listener)
    try await scene.until { configs("temperature").count == 1 }
    let entity = try #require(configs("temperature").first?.object)
    let topic = "ble/attic/device/\(sensor.uuidString)/advertisement"
    #expect(entity["state_topic"] as? String == topic && entity["expire_after"] as? Int == 60)
    try await scene.until { home.messages.contains { $0.topic == topic } }
    // The same again says nothing, something else that is measured does.
    gateway.hear(heard("02CB09", at: 10), listener)
    gateway.hear(heard("02CB090161", at: 20), listener)
    try await scene.until { configs("battery").count == 1 }
    #expect(configs("temperature").count == 2, "all entities of a device are announced together")
    // A reload keeps it and announces it once more, and so does a restart.
    _ = try await gateway.reload(configuration)
    try await scene.until { configs("temperature").count == 3 }
    try await scene.stop()
    let again = try await scene.start(configuration, on: phone)
    again.hear(heard("02CA09", at: 1), AdvertisementListener(rule))
    try await scene.until { configs("temperature").count == 4 }
    #expect(!home.messages.contains { $0.topic.hasPrefix("homeassistant/") && $0.payload.isEmpty })
    _ = try await again.reload(try scene.configuration(#""listen": [{"every": 2}], "home_assistant": true"#))
    try await scene.until { configs("temperature").last?.payload.isEmpty == true }
    try await scene.until { configs("battery").last?.payload.isEmpty == true }
    // Nothing announces it while it is not wanted.
    again.hear(heard("02CC09", at: 30), AdvertisementListener(rule))
    let marker = "homeassistant/sensor/marker/config"
    home.publish(marker, "{}")
    try await scene.until { home.messages.contains { $0.topic == marker } }
    #expect(configs("temperature").last?.payload.isEmpty == true)
    try await scene.stop()
  }
}
