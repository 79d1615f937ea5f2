import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite("Gateway", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(2)))
struct GatewayTests {
  private let scene: GatewayScene
  private let subscriber: Subscriber

  init() async throws {
    scene = try GatewayScene(TestBroker())
    subscriber = Subscriber(scene.broker.port, "#")
    try #require(await subscriber.connected())
  }

  private func counter(on device: Device) -> PeripheralApp {
    let line = CBMutableCharacteristic("FFF1", [.notify, .read])
    let app = PeripheralApp("counter", on: device, services: [CBMutableService("FFF0", [line])])
    app.value = Data("asked".utf8)
    return app
  }

  @Test("I17.1 values that a device notifies arrive at a subscriber once each, in order, with numbered keys")
  func valuesArrive() async throws {
    let world = scene.world
    let counter = counter(on: world.makeDevice("other"))
    let configuration = try scene.configuration(#""devices": [{"name": "desk", "match": {"names": ["counter"]}}]"#)
    _ = try await scene.start(configuration, on: world.makeDevice("phone"))
    try await world.wait(within: .seconds(20)) { counter.subscribers.count == 1 }
    for number in 1...20 {
      counter.push(Data("\(number)".utf8), "FFF1")
      await world.advance(by: .milliseconds(100))
    }
    let values = await subscriber.wait(for: 20, on: "ble/attic/device/desk/value/FFF0-FFF1")
    #expect(
      values.compactMap { ($0.object["value"] as? [String: Any])?["utf8"] as? String } == (1...20).map(String.init))
    let first = try #require(values.first)
    #expect(first.object["event"] as? String == "value" && first.object["name"] as? String == "counter")
    #expect(first.object["device"] as? String == "desk" && first.object["gateway"] as? String == "attic")
    let keys = values.compactMap { $0.object["key"] as? String }
    #expect(keys.count == 20 && Set(keys).count == 20 && keys.allSatisfy { $0.hasPrefix("attic/") })
    #expect(values.map(\.key) == keys, "the same as MQTT 5's user property")
    try await scene.stop()
    #expect(await subscriber.wait(for: 2, on: "ble/attic/status").map(\.text) == ["online", "offline"])
  }
}
