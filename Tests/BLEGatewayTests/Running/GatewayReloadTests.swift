import BLEDeviceFiles
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite("A gateway is reloaded", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct GatewayReloadTests {
  private let scene: GatewayScene
  private let subscriber: Subscriber

  init() async throws {
    scene = try GatewayScene(TestBroker())
    subscriber = Subscriber(scene.broker.port, "#")
    try #require(await subscriber.connected())
    // The broker's time is real: the world's follows it.
    scene.world.pace = .realTime(speed: 4)
  }

  private func counter(_ name: String) -> PeripheralApp {
    let service = CBMutableService(
      "FFF0", [CBMutableCharacteristic("FFF1", [.notify]), CBMutableCharacteristic("FFF2", [.write], .writeable)])
    return PeripheralApp(name, on: scene.world.makeDevice(name), services: [service])
  }

  /// Reloads while the world's time passes: devices are disconnected in it.
  private func reload(_ gateway: Gateway, _ members: String, name: String = "attic") async throws -> GatewayChanges {
    let configuration = try scene.configuration(members, name: name)
    let result = Guarded<Result<GatewayChanges, any Error>?>(nil)
    Task {
      let outcome: Result<GatewayChanges, any Error>
      do { outcome = .success(try await gateway.reload(configuration)) } catch { outcome = .failure(error) }
      result.with { $0 = outcome }
    }
    try await scene.until { result.with { $0 != nil } }
    return try #require(result.with { $0 }).get()
  }

  private func device(_ name: String, _ more: String = "") -> String {
    #"{"name": "\#(name)", "match": {"names": ["\#(name)"]}\#(more)}"#
  }

  private func last(_ topic: String) -> [String: Any]? { subscriber.messages.last { $0.topic == topic }?.object }

  @Test("I17.1 a reload takes in new devices and leaves missing ones, and the others keep their links")
  func devices() async throws {
    let (one, two, three) = (counter("one"), counter("two"), counter("three"))
    let gateway = try await scene.start(
      try scene.configuration(#""devices": [\#(device("one")), \#(device("two"))]"#),
      on: scene.world.makeDevice("phone"))
    try await scene.until { one.subscribers.count == 1 && two.subscribers.count == 1 }
    let commands = #", "commands": {"write": ["FFF0/FFF2"]}"#
    let changes = try await reload(gateway, #""devices": [\#(device("one")), \#(device("three", commands))]"#)
    #expect(changes == GatewayChanges(added: ["three"], removed: ["two"]))
    try await scene.until { three.subscribers.count == 1 }
    #expect(one.subscribers.count == 1 && two.subscribers.count == 1)
    #expect(gateway.figuresOfLinks == 3, "the first device was connected once")
    // The broker has been told.
    let isOffline = await subscriber.wait { messages in
      messages.last { $0.topic == "ble/attic/device/two/status" }?.object["status"] as? String == "offline" ? true : nil
    }
    #expect(isOffline == true)
    let described = await subscriber.wait { messages -> [String]? in
      let document = messages.last { $0.topic == "ble/attic/description" }?.object
      let names = (document?["devices"] as? [[String: Any]] ?? []).compactMap { $0["device"] as? String }
      return names == ["one", "three"] ? names : nil
    }
    #expect(described != nil)
    // Commands are taken for the new one.
    subscriber.publish(
      "ble/attic/device/three/command",
      #"{"id": "1", "write": "FFF0/FFF2", "value": {"utf8": "on"}, "deadline": "\#(scene.time(after: 60))"}"#)
    try await scene.until { subscriber.messages.contains { $0.topic == "ble/attic/device/three/answer" } }
    #expect(last("ble/attic/device/three/answer")?["outcome"] as? String == "done")
    try await scene.stop()
  }

  @Test(
    "I17.1 a device file that changes under a running session counts from the reload on, and the device is reached again"
  )
  func deviceFile() async throws {
    let lamp = counter("lamp")
    let path = scene.folder.path + "/lamp.json"
    func write(_ command: String) throws {
      try
        #"{"format": "ble-device/1", "name": "lamp", "match": {"names": ["lamp"]}, "commands": {"\#(command)": {"write": "FFF0/FFF2", "send": [{"constant": "01"}]}}}"#
        .write(toFile: path, atomically: true, encoding: .utf8)
    }
    try write("on")
    let members = #""devices": [{"name": "lamp", "device_file": "lamp.json", "values": "all"}]"#
    let gateway = try await scene.start(try scene.configuration(members), on: scene.world.makeDevice("phone"))
    try await scene.until { lamp.subscribers.count == 1 }
    try write("light")
    #expect(gateway.devices.first?.plan.description?.commands.map(\.name) == ["on"])
    #expect(try await reload(gateway, members) == GatewayChanges(changed: ["lamp"]))
    #expect(gateway.devices.first?.plan.description?.commands.map(\.name) == ["light"])
    try await scene.until { gateway.figuresOfLinks == 2 && lamp.subscribers.count == 2 }
    // The same again changes nothing.
    #expect(try await reload(gateway, members).isEmpty)
    #expect(gateway.figuresOfLinks == 2)
    try await scene.stop()
  }

  @Test("I17.1 what cannot change under way is said, and all stays as it was")
  func restart() async throws {
    let one = counter("one")
    let members = #""devices": [\#(device("one"))]"#
    let gateway = try await scene.start(try scene.configuration(members), on: scene.world.makeDevice("phone"))
    try await scene.until { one.subscribers.count == 1 }
    for (changed, name, member) in [
      (members, "cellar", "gateway"), (members + #", "prefix": "site""#, "attic", "prefix"),
      (members + #", "outbox": {"rows": 500}"#, "attic", "outbox"),
      (members + #", "metrics": {"port": 0}"#, "attic", "metrics"),
    ] {
      await #expect(throws: GatewayNeedsRestart(member: member)) { try await reload(gateway, changed, name: name) }
    }
    #expect(one.subscribers.count == 1 && gateway.figuresOfLinks == 1)
    try await scene.stop()
  }

  @Test("I17.1 other advertisements are published after a reload")
  func listening() async throws {
    let one = counter("one")
    let gateway = try await scene.start(
      try scene.configuration(#""listen": [{"match": {"names": ["none"]}}]"#), on: scene.world.makeDevice("phone"))
    let changes = try await reload(gateway, #""listen": [{"match": {"names": ["one"]}}]"#)
    #expect(changes == GatewayChanges(listening: true))
    try await scene.until { subscriber.messages.contains { $0.topic.hasSuffix("/advertisement") } }
    withExtendedLifetime(one) {}
    try await scene.stop()
  }
}

extension Gateway {
  /// How many links were ready for use.
  fileprivate var figuresOfLinks: Int { counts.with { $0.links } }
}

extension GatewayScene {
  /// A moment of the gateway's time of day.
  fileprivate func time(after seconds: Double) -> String {
    Self.beginning.addingTimeInterval(world.now.seconds + seconds).formatted(.iso8601)
  }
}
