import BLECore
import BLEReports
import BLESession
import BLETestKit
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "A gateway with keys", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct GatewayKeysTests {
  private let scene: GatewayScene

  init() throws { scene = try GatewayScene(TestBroker()) }

  private static let members = #""listen": [{"match": {"names": ["none"]}}], "sensor_keys": {"file": "keys.json"}"#

  @Test("I17.1 a reload reads files of keys, and one with a mistake leaves everything as it was")
  func reload() async throws {
    let path = scene.folder.path + "/keys.json"
    let sensor = SealedSensor()
    let digits = "231d39c1d7cc1ab1aee224cd096db932"
    try #"{"5448E68F80A5": "\#(digits)"}"#.privately(to: path)
    let configuration = try scene.configuration(Self.members)
    let gateway = try await scene.start(configuration, on: scene.world.makeDevice("phone"))
    #expect(gateway.keys.sensors.open(sensor.sighting(sensor.data("0161", 7)))?.problem == nil)
    #expect(try await gateway.reload(configuration).isEmpty)
    try #"{"5448E68F80A5": "\#(digits)", "\#(digits)": 5}"#.privately(to: path)
    let other = try scene.configuration(Self.members + #", "devices": [{"name": "new", "match": {"names": ["new"]}}]"#)
    do {
      _ = try await gateway.reload(other)
      Issue.record("it was taken")
    } catch let error as SecretError {
      #expect(error.reason.contains("keys.json:1:") && !error.reason.contains("231d"), "\(error.reason)")
    }
    #expect(gateway.devices.isEmpty)
    #expect(gateway.keys.sensors.open(sensor.sighting(sensor.data("0161", 6)))?.problem != nil, "the counter is kept")
    try "{}".privately(to: path)
    #expect(try await gateway.reload(configuration) == GatewayChanges(listening: true))
    #expect(gateway.keys.sensors.open(sensor.sighting(sensor.data("0161", 8))) == nil)
    try await scene.stop()
  }

  @Test("I17.1 a gateway whose keys can be opened by others does not start, and says what to do")
  func openFile() async throws {
    let path = scene.folder.path + "/keys.json"
    try "{}".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let configuration = try scene.configuration(Self.members)
    do {
      _ = try await scene.start(configuration, on: scene.world.makeDevice("phone"))
      Issue.record("it has started")
    } catch let error as SecretError {
      #expect(error.reason.contains("chmod 600"), "\(error.reason)")
    }
  }

  @Test("I17.1 a beacon on the air is published on the topic of its UUID")
  func beacon() async throws {
    let beacon = scene.world.makeDevice("beacon")
    beacon.setManufacturerData(
      [UInt8](hexadecimal: "4c000215f7826da64fa24e988024bc5b71e0893e0001000200") ?? [])
    let app = PeripheralApp("b", on: beacon, services: [])
    let subscriber = Subscriber(scene.broker.port, "ble/attic/device/#")
    try #require(await subscriber.connected())
    scene.world.pace = .realTime(speed: 4)
    _ = try await scene.start(
      try scene.configuration(#""listen": [{"topic": "beacon"}]"#), on: scene.world.makeDevice("phone"))
    let topic = "ble/attic/device/F7826DA6-4FA2-4E98-8024-BC5B71E0893E-1-2/advertisement"
    try await scene.until { subscriber.messages.contains { $0.topic == topic } }
    withExtendedLifetime(app) {}
    try await scene.stop()
  }
}
