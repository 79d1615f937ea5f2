import BLEDeviceFiles
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "Home Assistant and a gateway", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct DiscoveryGatewayTests {
  private let scene: GatewayScene
  private let home: Subscriber

  init() async throws {
    scene = try GatewayScene(TestBroker())
    home = Subscriber(scene.broker.port, "homeassistant/+/+/config", "ble/attic/#")
    try #require(await home.connected())
    // The broker's time is real: the world's follows it.
    scene.world.pace = .realTime(speed: 4)
  }

  private static let lock = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples/Devices/lock.json")

  private func simulatedLock() async throws -> BLEDeviceFiles.SimulatedDevice {
    let description = try DeviceDescription(contentsOf: Self.lock)
    let device = scene.world.makeDevice("lock")
    let lock = try BLEDeviceFiles.SimulatedDevice(description, options: device.options, clock: scene.world.clock)
    device.setManufacturerData(description.simulation?.manufacturerData.map { Array($0) })
    try await scene.world.perform { try await lock.start() }
    return lock
  }

  private func door(_ commands: String, more: String = #", "home_assistant": true"#) throws -> GatewayConfiguration {
    try scene.configuration(
      #""devices": [{"name": "door", "device_file": "\#(Self.lock.path)", "commands": {"names": [\#(commands)]}}]\#(more)"#
    )
  }

  private func last(_ topic: String) -> BrokerMessage? { home.messages.last { $0.topic == topic } }
  private func config(_ component: String, _ identifier: String) -> [String: Any]? {
    last("homeassistant/\(component)/ble_-\(identifier)/config").flatMap { $0.payload.isEmpty ? nil : $0.object }
  }

  /// What Home Assistant shows of an entity.
  private func state(_ entity: [String: Any]) throws -> String? {
    guard let topic = entity["state_topic"] as? String, let message = last(topic) else { return nil }
    let template = try #require(entity["value_template"] as? String)
    return try DiscoveryRenderer.render([(template, message.text)], now: moment)[0]
  }

  /// The time of day of the world, which Home Assistant shares.
  private var moment: Date { GatewayScene.beginning.addingTimeInterval(scene.world.now.seconds) }

  /// What Home Assistant publishes when its user chooses a value.
  private func choose(_ value: String, _ entity: [String: Any]) throws {
    let template = try #require(entity["command_template"] as? String)
    home.publish(
      try #require(entity["command_topic"] as? String),
      try DiscoveryRenderer.render([(template, value)], now: moment)[0])
  }

  @Test(
    "I17.1 a lock is announced once it is ready, is opened and shut as Home Assistant does it, and shows that",
    .enabled(if: DiscoveryRenderer.isInstalled, DiscoveryRenderer.isMissing))
  func openAndShut() async throws {
    let lock = try await simulatedLock()
    _ = try await scene.start(try door(#""unlock", "lock""#), on: scene.world.makeDevice("phone"))
    try await scene.until { config("button", "door_-command_-lock") != nil }
    let bolt = try #require(config("binary_sensor", "door_-value_-bolt-moved_-bolt"))
    let outcome = try #require(config("sensor", "door_-answer"))
    #expect(config("button", "door_-command_-status") == nil, "it is not allowed")
    let availability = try #require(bolt["availability"] as? [[String: String]])
    #expect(availability.map { $0["topic"] } == ["ble/attic/status", "ble/attic/device/door/status"])
    try await scene.until { last("ble/attic/device/door/status")?.object["status"] as? String == "online" }
    let online = try DiscoveryRenderer.render(
      [(availability[1]["value_template"] ?? "", last("ble/attic/device/door/status")?.text ?? "")], now: moment)
    #expect(online == ["online"] && last("ble/attic/status")?.text == "online")

    let unlock = try #require(config("text", "door_-command_-unlock"))
    try choose("123456", unlock)
    try await scene.until { last("ble/attic/device/door/value/bolt-moved") != nil }
    #expect(try state(bolt) == bolt["payload_on"] as? String)
    try await scene.until { last("ble/attic/device/door/answer") != nil }
    #expect(try state(outcome) == "done")
    try choose("PRESS", try #require(config("button", "door_-command_-lock")))
    try await scene.until { try state(bolt) == bolt["payload_off"] as? String }
    try choose("000000", unlock)
    try await scene.until { try state(outcome) == "refused" }
    #expect((outcome["options"] as? [String])?.contains("refused") == true)
    withExtendedLifetime(lock) {}
    try await scene.stop()
  }

  @Test("I17.1 what the configuration does not have any more is taken back at the next start, and nothing else is")
  func takenBack() async throws {
    let lock = try await simulatedLock()
    let phone = scene.world.makeDevice("phone")
    _ = try await scene.start(try door(#""unlock", "lock""#), on: phone)
    try await scene.until { config("button", "door_-command_-lock") != nil }
    try await scene.stop()
    _ = try await scene.start(try door(#""unlock""#), on: phone)
    try await scene.until { config("button", "door_-command_-lock") == nil }
    #expect(config("text", "door_-command_-unlock") != nil)
    try await scene.stop()
    // Another gateway has taken the bolt over in the meantime.
    let topic = "homeassistant/binary_sensor/ble_-door_-value_-bolt-moved_-bolt/config"
    let taken = (last(topic)?.text ?? "").replacing("ble-gateway_-attic", with: "ble-gateway_-hall")
    home.publish(topic, taken, isRetained: true)
    _ = try await scene.start(try scene.configuration(#""listen": [{"at_most_every": 60}]"#), on: phone)
    try await scene.until { config("text", "door_-command_-unlock") == nil }
    try await scene.until {
      last("homeassistant/binary_sensor/ble-gateway_-attic_-status/config")?.payload.isEmpty == true
    }
    #expect(last(topic)?.text == taken && taken.contains("ble-gateway_-hall"))
    try await scene.until { try AnnouncedTopics(outbox: try #require(scene.gateway).outbox).all().isEmpty }
    withExtendedLifetime(lock) {}
    try await scene.stop()
  }

  @Test("I17.1 what a reload takes out of the configuration is taken back at once")
  func reloaded() async throws {
    let lock = try await simulatedLock()
    let gateway = try await scene.start(try door(#""unlock", "lock""#), on: scene.world.makeDevice("phone"))
    try await scene.until { config("button", "door_-command_-lock") != nil }
    let new = try door(#""unlock""#)
    let isReloaded = Guarded(false)
    Task {
      _ = try? await gateway.reload(new)
      isReloaded.with { $0 = true }
    }
    try await scene.until { isReloaded.with { $0 } && config("button", "door_-command_-lock") == nil }
    try await scene.until { last("ble/attic/device/door/status")?.object["status"] as? String == "online" }
    #expect(config("text", "door_-command_-unlock") != nil)
    withExtendedLifetime(lock) {}
    try await scene.stop()
  }

  @Test("I17.1 a Home Assistant that starts gets the announcements again, and a flood of its greetings is not answered")
  func toldAgain() async throws {
    let service = CBMutableService("180F", [CBMutableCharacteristic("2A19", [.notify])])
    let meter = PeripheralApp("meter", on: scene.world.makeDevice("meter"), services: [service])
    let configuration = try scene.configuration(
      #""devices": [{"name": "meter", "match": {"names": ["meter"]}}], "home_assistant": {"prefix": "ha"}"#)
    let other = Subscriber(scene.broker.port, "ha/#")
    try #require(await other.connected())
    _ = try await scene.start(configuration, on: scene.world.makeDevice("phone"))
    try await scene.until { meter.subscribers.count == 1 }
    meter.push(Data([87]), "2A19")
    let topic = "ha/sensor/ble_-meter_-characteristic_-180F-2A19/config"
    func told() -> Int { other.messages.filter { $0.topic == topic && !$0.payload.isEmpty }.count }
    try await scene.until { told() == 1 }
    await scene.world.advance(by: .seconds(11))
    for _ in 1...50 { home.publish("ha/status", "online") }
    try await scene.until { told() == 2 }
    // What is published behind the flood is handled behind it.
    home.publish("ha/status", "offline")
    _ = await other.wait { messages in messages.filter { $0.topic == "ha/status" }.count == 51 ? true : nil }
    meter.push(Data([86]), "2A19")
    try await scene.until { home.messages.filter { $0.topic.hasSuffix("180F-2A19") }.count == 2 }
    #expect(told() == 2)
    try await scene.stop()
  }

  @Test("I17.4 a broker that forbids the announcements is named once, and values arrive none the less")
  func forbidden() async throws {
    let folder = try TemporaryFolder()
    let rights = folder.path("rights")
    try "topic readwrite ble/#\n".write(toFile: rights, atomically: true, encoding: .utf8)
    let scene = try GatewayScene(TestBroker("allow_anonymous true\nacl_file \(rights)"))
    let refused = Guarded<[String]>([])
    let service = CBMutableService("180F", [CBMutableCharacteristic("2A19", [.notify])])
    let meter = PeripheralApp("meter", on: scene.world.makeDevice("meter"), services: [service])
    let values = Subscriber(scene.broker.port, "ble/attic/device/meter/value/#")
    _ = try await scene.start(
      try scene.configuration(
        #""devices": [{"name": "meter", "match": {"names": ["meter"]}}], "home_assistant": true"#),
      on: scene.world.makeDevice("phone")
    ) { report in
      if case .notAnnounced(let topic) = report { refused.with { $0.append(topic) } }
    }
    try await scene.until { refused.with { !$0.isEmpty } && meter.subscribers.count == 1 }
    for number: UInt8 in 1...20 { meter.push(Data([number]), "2A19") }
    try await scene.until { values.messages.count >= 20 }
    #expect(refused.with { $0 } == ["homeassistant/binary_sensor/ble-gateway_-attic_-status/config"])
    try await scene.stop()
  }
}
