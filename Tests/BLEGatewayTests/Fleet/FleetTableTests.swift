import BLESession
import Foundation
import Testing

@testable import BLEGateway

/// What messages say of a fleet, in time that the test moves.
@Suite("Fleet table")
struct FleetTableTests {
  private var table = FleetTable()
  private let time = Date(timeIntervalSince1970: 1_800_000_000)

  private mutating func take(_ topic: String, _ payload: String, isRetained: Bool = false, at now: Duration = .zero) {
    var message = BrokerMessage(topic: "site/ble/" + topic, payload: Data(payload.utf8))
    message.isRetained = isRetained
    table.take(message, prefix: "site/ble", at: now, time)
  }

  private mutating func takeValue(_ gateway: String, _ device: String, _ value: String, _ name: String = "180F-2A19") {
    take(
      "\(gateway)/device/\(device)/value/\(name)",
      #"{"key":"\#(gateway)/b/1","event":"value","time":"2026-11-27T10:00:00.000Z","gateway":"\#(gateway)","device":"\#(device)","name":"Owenli","address":"C0:00:00:00:00:01",\#(value)}"#
    )
  }

  private func status(_ gateway: String, _ device: String, _ word: String) -> String {
    #"{"event":"status","gateway":"\#(gateway)","device":"\#(device)","status":"\#(word)"}"#
  }

  @Test("I17.5 gateways are known with their state, version and devices; what the broker has kept is no sign of life")
  mutating func gateways() {
    take("attic/status", "online", isRetained: true)
    take(
      "attic/description",
      #"{"format":"ble-gateway/1","gateway":"attic","version":"1.2","time":"2026-11-27T09:00:00.000Z","devices":[{},{}],"listening":true}"#,
      isRetained: true)
    let attic = table.scene(at: .zero).gateways.first
    #expect(attic?.isOnline == true && attic?.version == "1.2" && attic?.devices == 2 && attic?.isListening == true)
    #expect(attic?.since == "2026-11-27T09:00:00.000Z" && attic?.heard == nil)
    take("attic/status", "offline")
    #expect(table.scene(at: .zero).gateways.first?.heard == 1_800_000_000_000)
    #expect(table.changes(at: .zero)?.gateways.map(\.isOnline) == [false])
    #expect(table.changes(at: .zero) == nil, "each change is reported once")
  }

  @Test("I17.5 a device is offline when its gateway is, which can no longer say so itself")
  mutating func lastWill() {
    take("attic/status", "online")
    take("attic/device/owenli/status", status("attic", "owenli", "online"))
    #expect(table.scene(at: .zero).devices.first?.isOnline == true)
    #expect(table.scene(at: .zero).devices.first?.holder == "attic")
    _ = table.changes(at: .zero)
    take("attic/status", "offline")
    let changed = table.changes(at: .zero)?.devices.first
    #expect(changed?.device == "owenli" && changed?.isOnline == false && changed?.holder == nil)
  }

  @Test("I17.5 the lease with the greatest rank says who holds a device, in whatever order leases arrive")
  mutating func leases() throws {
    func lease(_ gateway: String, _ epoch: Int, _ phase: Lease.Phase = .held) throws -> String {
      let holder = try #require(GatewayInstance(gateway: gateway, instance: "1"))
      return LeaseMessage.lease(
        Lease(device: "owenli", holder: holder, epoch: epoch, phase: phase, expires: .seconds(3))
      ).payload
    }
    take("fleet/lease/owenli", try lease("hall", 7))
    take("fleet/lease/owenli", try lease("attic", 6))
    let device = table.scene(at: .zero).devices.first
    #expect(device?.holder == "hall" && device?.epoch == 7 && device?.phase == "held")
    take("fleet/lease/owenli", try lease("hall", 8, .released))
    #expect(table.scene(at: .zero).devices.first?.holder == nil)
    #expect(table.ignored == 0)
  }

  @Test("I17.5 values are shown with their unit, notifications with their fields, others as text or octets")
  mutating func values() {
    takeValue(
      "attic", "owenli", #""value":{"hex":"57","utf8":"W"},"meaning":"87 %","quantity":{"value":87,"unit":"%"}"#)
    takeValue("attic", "owenli", #""value":{"hex":"ff00","utf8":null},"meaning":null,"quantity":null"#, "FFF0-FFF1")
    take(
      "attic/device/owenli/value/bolt",
      #"{"event":"notification","gateway":"attic","device":"owenli","notification":"bolt","fields":{"bolt":{"value":1,"word":"open","unit":null},"charge":{"value":72,"word":null,"unit":"%"}}}"#
    )
    let values = table.scene(at: .zero).devices.first?.values ?? []
    #expect(values.map(\.text) == ["87", "ff00", "bolt: open, charge: 72 %"] && values.first?.unit == "%")
    #expect(table.scene(at: .zero).devices.first?.name == "Owenli")
    // The broker keeps one no longer.
    take("attic/device/owenli/value/bolt", "", isRetained: true)
    #expect(table.scene(at: .zero).devices.first?.values.count == 2)
  }

  @Test("I17.5 the room of a device is that of the gateway which hears it best, with the strengths of all")
  mutating func rooms() {
    table = FleetTable(rooms: ["attic": "Under the roof"])
    func heard(_ gateway: String, _ rssi: Int) -> String {
      #"{"event":"discovered","gateway":"\#(gateway)","device":"C0FFEE010203","name":null,"rssi":\#(rssi)}"#
    }
    take("hall/device/C0FFEE010203/advertisement", heard("hall", -80))
    take("attic/device/C0FFEE010203/advertisement", heard("attic", -50))
    take("attic/device/C0FFEE010203/advertisement", heard("attic", -50), at: .seconds(6))
    let device = table.scene(at: .seconds(6)).devices.first
    #expect(device?.room == "Under the roof" && device?.strengths.map(\.gateway) == ["attic", "hall"])
    _ = table.changes(at: .seconds(6))
    let gone = table.changes(at: .seconds(120))?.devices.first
    #expect(gone?.device == "C0FFEE010203" && gone?.room == nil && gone?.strengths == [])
  }

  @Test(
    "I17.5 retained nonsense is counted and changes nothing",
    arguments: [
      ("attic/status", "maybe"), ("attic/description", "{"), ("attic/description", "[1]"),
      ("attic/description", #"{"format":"ble-gateway/0","gateway":"attic"}"#),
      ("attic/description", #"{"format":"ble-gateway/1","gateway":"hall"}"#), ("at tic/status", "online"),
      ("attic/device/owenli/status", #"{"event":"status","gateway":"hall","device":"owenli","status":"online"}"#),
      ("attic/device/owenli/status", #"{"event":"status","gateway":"attic","device":"owenli","status":1}"#),
      ("attic/device/owenli/value/x/y", "{}"), ("attic/device/owenli/other", "{}"), ("fleet/lease/owenli", "{}"),
      ("attic/device/<b>/value/x", "{}"), ("attic/device/owenli/value/x", String(repeating: " ", count: 65_537)),
      ("attic/device/owenli/value/x", String(repeating: "[", count: 60_000)), ("attic/status", "\u{0}"),
    ])
  mutating func nonsense(_ topic: String, _ payload: String) {
    take(topic, payload, isRetained: true)
    #expect(table.ignored == 1 && table.scene(at: .zero) == FleetScene())
  }

  @Test(
    "I17.5 what is known is bounded: those that were not heard for the longest time are forgotten, and texts are cut")
  mutating func bounds() {
    table = FleetTable(FleetTable.Limits(gateways: 3, devices: 4, values: 2, gatewaysOfDevice: 2))
    for number in 1...5 {
      take("g\(number)/status", "online")
      take("g\(number)/device/one/status", status("g\(number)", "one", "online"))
      takeValue("g\(number)", "d\(number)", #""value":{"hex":"00"},"meaning":"\#(String(repeating: "x", count: 500))""#)
    }
    for number in 1...4 { takeValue("g5", "d5", #""value":{"hex":"0\#(number)"}"#, "v\(number)") }
    let scene = table.scene(at: .zero)
    #expect(scene.gateways.map(\.name) == ["g3", "g4", "g5"])
    #expect(scene.devices.map(\.device) == ["d3", "d4", "d5", "one"])
    #expect(scene.devices.first?.values.first?.text.count == 120)
    #expect(scene.devices.first { $0.device == "d5" }?.values.map(\.name) == ["v3", "v4"])
    #expect(table.devices["one"]?.reports.count == 2)
    let changes = table.changes(at: .zero)
    #expect(changes?.goneGateways == ["g1", "g2"] && changes?.goneDevices == ["d1", "d2"])
  }
}
