import BLESession
import BLEText
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite("Fleet board", .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct FleetBoardTests {
  /// Waits for at most 20 s of real time.
  private func until(_ board: FleetBoard, _ condition: (FleetScene) -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition(board.scene) {
      if ContinuousClock.now > deadline { return false }
      await Task.yield()
    }
    return true
  }

  @Test(
    "I17.5 a board knows what a broker has kept, follows what is published, and is there again after its broker was")
  func follows() async throws {
    let broker = try TestBroker()
    let gateway = Subscriber(broker.port, "ble/attic/#")
    #expect(await gateway.connected())
    gateway.publish("ble/attic/status", "online", isRetained: true)
    #expect(await gateway.wait(for: 1, on: "status").count == 1)
    let board = FleetBoard(
      FleetSettings(broker: BrokerSettings(host: "127.0.0.1", port: broker.port)),
      backOff: .init(first: .milliseconds(20), longest: .milliseconds(100)))
    board.start()
    #expect(await until(board) { $0.gateways.map(\.isOnline) == [true] && $0.gateways.first?.heard == nil })
    #expect(board.changedScene()?.link.isConnected == true)
    gateway.publish(
      "ble/attic/device/owenli/value/x", #"{"event":"value","gateway":"attic","device":"owenli","meaning":"87 %"}"#)
    #expect(await until(board) { $0.devices.first?.values.first?.text == "87 %" && $0.gateways.first?.heard != nil })
    broker.stop()
    #expect(await until(board) { !$0.link.isConnected && $0.link.reason != nil })
    #expect(board.changedScene()?.link.isConnected == false)
    try broker.start()
    #expect(await until(board) { $0.link.isConnected })
    let again = Subscriber(broker.port, "ble/attic/#")
    #expect(await again.connected())
    again.publish("ble/attic/status", "offline", isRetained: true)
    #expect(await until(board) { $0.gateways.map(\.isOnline) == [false] })
    await again.stop()
    await board.stop()
    await gateway.stop()
  }

  @Test("I17.5 the configuration of a gateway is one of a board; a mistake has its place")
  func settings() throws {
    let text = """
      {"format": "ble-gateway/1", "gateway": "attic", "prefix": "site/ble", "collect": {"file": "x"},
       "broker": {"host": "broker.example"}, "rooms": {"attic": "Under the roof"}}
      """
    let settings = try FleetSettings.read(octets: text.utf8, folder: "/")
    #expect(settings.broker.host == "broker.example" && settings.prefix == "site/ble")
    #expect(settings.rooms == ["attic": "Under the roof"])
    for (wrong, place) in [
      (#"{"format": "ble-gateway/1"}"#, "1:1"), (#"{"format": "ble-gateway/1", "broker": {"host": "/run/x"}}"#, "1:48"),
      (#"{"format": "ble-gateway/1", "broker": {"host": "b"}, "rooms": {"a b": "x"}}"#, "1:64"), ("[", "1:2"),
    ] {
      let error = #expect(throws: FileMistakes.self) { try FleetSettings.read(octets: wrong.utf8, folder: "/") }
      #expect(error?.lines(in: "f").first?.hasPrefix("f:\(place)") == true, "\(error?.lines(in: "f") ?? [])")
    }
  }
}
