import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite("Gateway", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
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

  @Test(
    "I17.1 advertisements that are listened to arrive with the device's address in their topic, and a smoothed strength"
  )
  func advertisementsArrive() async throws {
    let world = scene.world
    let counter = counter(on: world.makeDevice("other"))
    let configuration = try scene.configuration(
      #""listen": [{"match": {"names": ["counter"]}, "every": 2, "on_change": false}]"#)
    _ = try await scene.start(configuration, on: world.makeDevice("phone"))
    await world.advance(by: .seconds(9))
    let heard = await subscriber.wait(for: 4, on: "/advertisement")
    #expect(heard.count >= 4 && heard.count <= 6, "\(heard.count)")
    let first = try #require(heard.first?.object)
    #expect(
      first["event"] as? String == "discovered" && first["smoothed"] is Double && first["name"] as? String == "counter")
    #expect(first["device"] as? String == (first["identifier"] as? String))
    withExtendedLifetime(counter) {}
    try await scene.stop()
  }

  @Test(
    "I17.1 a gateway that is gone without a goodbye is published as offline by its broker, and online when it is back"
  )
  func lastWill() async throws {
    let configuration = try scene.configuration(#""listen": [{}]"#)
    let link = BrokerLink(
      configuration.broker, identifier: "ble-gateway-attic", will: Gateway.status(configuration, isOnline: false)
    ) { event, publisher in
      if case .connected = event { publisher.publish(Gateway.status(configuration, isOnline: true)) }
    }
    link.start()
    #expect(await subscriber.wait(for: 1, on: "ble/attic/status").map(\.text) == ["online"])
    link.perform { $0.giveUp("the test wants it") }
    let told = await subscriber.wait(for: 3, on: "ble/attic/status").map(\.text)
    #expect(told == ["online", "offline", "online"])
    await link.stop()
  }

  /// A line to a broker of its own, with values in its outbox; `tell` is called with what happens.
  private func line(
    to broker: TestBroker, in folder: TemporaryFolder, values: Int,
    tell: @escaping @Sendable (BrokerEvent) -> Void = { _ in }
  ) throws -> (line: GatewayLine, outbox: Outbox, offline: BrokerPublication) {
    var text = #"{"format":"ble-gateway/1","gateway":"attic","listen":[{"match":{"names":["none"]}}],"#
    text += #""broker":{"host":"127.0.0.1","port":\#(broker.port),"wait_for_subscriber":true}}"#
    let configuration = try GatewayConfigurationReader.read(octets: text.utf8, folder: folder.url.path)
    let outbox = try Outbox(
      configuration.outbox, gateway: "attic", lossDraft: { _ in OutboxDraft(.loss, topic: "x", payload: "{}") })
    try outbox.commit(
      (1...values).map { OutboxDraft(.value, topic: "ble/attic/device/a/value/b", payload: "{\"number\":\($0)}") })
    let line = GatewayLine()
    line.open(
      configuration, outbox, backOff: .init(first: .milliseconds(10), longest: .milliseconds(30)),
      description: BrokerPublication(topic: "ble/attic/description", payload: Data()), commands: [],
      unsendable: { _ in }, tell: tell)
    return (line, outbox, Gateway.status(configuration, isOnline: false))
  }

  /// The member of the message: mosquitto 2.0.11 loses the user properties of what it has written to its file at its end twice.
  private static func key(_ message: BrokerMessage) -> String? { message.object["key"] as? String }

  @Test(
    "I17.2 10,000 values that waited arrive in order, each of them, while their broker is stopped and started five times"
  )
  func tenThousand() async throws {
    let folder = try TemporaryFolder()
    let broker = try TestBroker()
    let reader = Subscriber(broker.port, "ble/attic/device/#", identifier: "reader")
    try #require(await reader.connected())
    let began = ContinuousClock.now
    let (line, outbox, offline) = try line(to: broker, in: folder, values: 10_000)
    for round in 1...5 {
      // What was acknowledged shortly before a link has ended is sent again.
      _ = await reader.wait(120) { Set($0.compactMap(Self.key)).count > round * 1_500 ? true : nil }
      broker.stop()
      try broker.start()
    }
    let deadline = ContinuousClock.now + .seconds(120)
    while outbox.contents.rows > 0, ContinuousClock.now < deadline { await Task.yield() }
    let isComplete = await reader.wait(120) { Set($0.compactMap(Self.key)).count == 10_000 ? true : nil }
    #expect(isComplete == true)
    #expect(outbox.contents.rows == 0)
    var (keys, numbers): (Set<String>, [Int]) = ([], [])
    for message in reader.messages where keys.insert(Self.key(message) ?? "").inserted {
      numbers.append(message.object["number"] as? Int ?? 0)
    }
    let isInOrder = numbers == Array(1...10_000)
    #expect(isInOrder, "\(numbers.count) values, the last \(numbers.suffix(3)), \(ContinuousClock.now - began)")
    await line.close(offline: offline)
    await outbox.close()
    await reader.stop()
  }

  @Test("I17.2 with wait_for_subscriber a value without a subscriber is sent again until there is one")
  func waitsForSubscriber() async throws {
    let folder = try TemporaryFolder()
    let broker = try TestBroker()
    let tries = Guarded(0)
    let (line, outbox, offline) = try line(to: broker, in: folder, values: 5) { event in
      if case .disconnected(let reason, _) = event, reason.contains("subscribed") { tries.with { $0 += 1 } }
    }
    let deadline = ContinuousClock.now + .seconds(120)
    while tries.with({ $0 }) < 3, ContinuousClock.now < deadline { await Task.yield() }
    #expect(outbox.contents.rows == 5)
    let late = Subscriber(broker.port, "ble/attic/device/#")
    let found = await late.wait(for: 5, on: "value")
    #expect(found.compactMap { $0.object["number"] as? Int } == [1, 2, 3, 4, 5])
    await line.close(offline: offline)
    await outbox.close()
    await late.stop()
  }
}
