import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@testable import BLEGateway

@Suite("Figures of a gateway", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct GatewayMetricsTests {
  @Test("I17.5 the broker's link, messages, devices and advertisements are counted, and what waits is a figure")
  func figures() async throws {
    let scene = try GatewayScene(TestBroker())
    let line = CBMutableCharacteristic("FFF1", [.notify])
    let counter = PeripheralApp(
      "counter", on: scene.world.makeDevice("other"), services: [CBMutableService("FFF0", [line])])
    let gateway = try await scene.start(
      try scene.configuration(
        #""devices": [{"name": "desk", "match": {"names": ["counter"]}}], "listen": [{"match": {"names": ["counter"]}}]"#
      ),
      on: scene.world.makeDevice("phone"))
    try await scene.until { counter.subscribers.count == 1 && gateway.counts.with { $0.links } == 1 }
    var figures = await gateway.figures()
    #expect(figures.counts.isConnected && figures.counts.connections == 1 && figures.counts.failures == 0)
    #expect(figures.counts.advertisements > 0 && figures.devices == ["ready": 1] && figures.held == nil)
    try await scene.until { gateway.outbox.contents.rows == 0 }
    figures = await gateway.figures()
    #expect(figures.sent >= figures.counts.acknowledged && figures.counts.acknowledged > 0)
    #expect(figures.waiting == (0, 0) && figures.losses.total == 0)
    scene.broker.stop()
    try await scene.until { !gateway.isConnected }
    counter.push(Data("later".utf8), "FFF1")
    try await scene.until { gateway.outbox.contents.rows > 0 }
    figures = await gateway.figures()
    #expect(figures.counts.failures > 0 && figures.waiting.rows > 0 && figures.waiting.octets > 0)
    try scene.broker.start()
    try await scene.until { gateway.isConnected && gateway.counts.with { $0.connections } == 2 }
    #expect(await gateway.isAlive())
    try await scene.stop()
  }

  @Test("I17.5 commands and refusals are counted by what has become of them")
  func counts() {
    var counts = GatewayCounts()
    counts.add(.command(device: "a", id: "1", outcome: "taken"))
    counts.add(.command(device: "a", id: "1", outcome: "done"))
    counts.add(.command(device: "a", id: "2", outcome: "taken"))
    counts.add(.acknowledged(1, code: 0))
    counts.add(.acknowledged(2, code: 16))
    counts.add(.acknowledged(3, code: 135))
    counts.add(.unsendable(topic: "t"))
    counts.add(.device("a", .disconnected(.lost(nil))))
    #expect(counts.commands == ["taken": 2, "done": 1])
    #expect(counts.acknowledged == 2 && counts.refused == 1 && counts.unsendable == 1 && counts.lostLinks == 1)
  }

  @Test("I17.5 the port of metrics is one of the configuration")
  func configuration() throws {
    let text =
      #"{"format": "ble-gateway/1", "gateway": "a", "broker": {"host": "h"}, "listen": [{}], "metrics": {"port": 9464}}"#
    #expect(try GatewayConfigurationReader.read(octets: text.utf8, folder: "/").metricsPort == 9_464)
    let wrong = text.replacing("9464", with: "70000")
    #expect(throws: (any Error).self) { try GatewayConfigurationReader.read(octets: wrong.utf8, folder: "/") }
  }
}
