import BLECore
import BLESession
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import BLEGateway

@Suite(
  "Sensors that only advertise are taken back from Home Assistant by a reload",
  .enabled(if: TestBroker.isInstalled, TestBroker.isMissing), .timeLimit(.minutes(10)))
struct DiscoverySensorReloadTests {
  private let scene: GatewayScene
  private let home: Subscriber
  private let identifiers = ["shed": UUID(), "garage": UUID()]

  init() async throws {
    scene = try GatewayScene(TestBroker())
    home = Subscriber(scene.broker.port, "homeassistant/+/+/config", "marker")
    try #require(await home.connected())
  }

  private func configs(_ device: String) -> [BrokerMessage] {
    home.messages.filter { $0.topic.hasSuffix("\(device)_-measurement_-temperature/config") }
  }

  private func configs(of name: String) -> [BrokerMessage] { configs(identifiers[name]?.uuidString ?? "") }

  private func discovery(_ name: String, _ data: [UInt8] = [0x40, 0x02, 0xCA, 0x09], rssi: Int = -50) -> Discovery {
    var discovery = Discovery(identifier: identifiers[name] ?? UUID(), name: name, rssi: rssi)
    discovery.advertisement.serviceData = [CBUUID(string: "FCD2"): Data(data)]
    return discovery
  }

  private func listen(_ rules: String..., more: String = "") -> String {
    #""listen": [\#(rules.joined(separator: ", "))], "home_assistant": true\#(more)"#
  }

  private func rule(_ match: String, isAnnounced: Bool = true) -> String {
    #"{"match": {\#(match)}, "home_assistant": \#(isAnnounced)}"#
  }

  private static let all = #""service_data": {"service": "FCD2"}"#
  private static func named(_ name: String) -> String { #""names": ["\#(name)"]"# }

  /// Has the gateway hear both by each rule that matches.
  private func hearBoth(_ gateway: Gateway) {
    for name in identifiers.keys.sorted() { hear(discovery(name), gateway) }
  }

  private func hear(_ discovery: Discovery, _ gateway: Gateway) {
    for policy in gateway.current.with({ $0.listening }) where policy.rule.matches(discovery) {
      gateway.hear(discovery, AdvertisementListener(policy, gateway.keys))
    }
  }

  private func reload(_ gateway: Gateway, _ members: String) async throws {
    _ = try await gateway.reload(try scene.configuration(members))
  }

  /// All that was announced or taken back until now has arrived.
  private func settle(_ gateway: Gateway) async throws {
    let count = home.messages.count { $0.topic == "marker" }
    gateway.line.publish(BrokerPublication(topic: "marker", payload: Data())) { _ in }
    try await scene.until { home.messages.count { $0.topic == "marker" } > count }
  }

  private func wasTakenBack(_ name: String) -> Bool { configs(of: name).contains { $0.payload.isEmpty } }

  @Test("I17.1 a sensor that no rule announces any more is taken back, one that another rule matches stays")
  func rules() async throws {
    let phone = scene.world.makeDevice("phone")
    let gateway = try await scene.start(try scene.configuration(listen(rule(Self.all))), on: phone)
    hearBoth(gateway)
    try await scene.until { configs(of: "shed").count == 1 && configs(of: "garage").count == 1 }
    try await reload(gateway, listen(rule(Self.named("shed")), rule(Self.named("other"))))
    try await scene.until { configs(of: "garage").last?.payload.isEmpty == true }
    hearBoth(gateway)
    try await settle(gateway)
    #expect(!wasTakenBack("shed") && configs(of: "garage").count == 2)
    // Its rule is still there, but does not announce.
    try await reload(gateway, listen(rule(Self.named("shed"), isAnnounced: false), rule(Self.named("other"))))
    try await scene.until { configs(of: "shed").last?.payload.isEmpty == true }
    hearBoth(gateway)
    // Announced once more as soon as a rule says so.
    try await reload(gateway, listen(rule(Self.all)))
    hearBoth(gateway)
    try await scene.until {
      configs(of: "shed").last?.payload.isEmpty == false && configs(of: "garage").last?.payload.isEmpty == false
    }
    try await scene.stop()
  }

  @Test("I17.1 a sensor that is too weak for a new rule is taken back, and not for the rule that has announced it")
  func strength() async throws {
    let gateway = try await scene.start(
      try scene.configuration(listen(#"{"weakest": -80, "home_assistant": true}"#)),
      on: scene.world.makeDevice("phone"))
    hear(discovery("shed", rssi: -75), gateway)
    hear(discovery("garage", rssi: -45), gateway)
    try await scene.until { configs(of: "shed").count == 1 && configs(of: "garage").count == 1 }
    try await reload(gateway, listen(#"{"weakest": -60, "home_assistant": true}"#))
    try await scene.until { configs(of: "shed").last?.payload.isEmpty == true }
    try await settle(gateway)
    #expect(!wasTakenBack("garage"))
    try await scene.stop()
  }

  @Test("I17.1 a sensor that was not heard since the start stays, and what is taken back twice is so once")
  func restarted() async throws {
    let phone = scene.world.makeDevice("phone")
    let first = try await scene.start(try scene.configuration(listen(rule(Self.all))), on: phone)
    hearBoth(first)
    try await scene.until { configs(of: "shed").count == 1 && configs(of: "garage").count == 1 }
    try await scene.stop()
    let gateway = try await scene.start(try scene.configuration(listen(rule(Self.all))), on: phone)
    hear(discovery("garage"), gateway)
    // The second comes before anything was done for the first.
    let gate = DispatchSemaphore(value: 0)
    gateway.line.pass { gate.wait() }
    for _ in 0..<2 { try await reload(gateway, listen(rule(Self.named("other")))) }
    gate.signal()
    try await scene.until { configs(of: "garage").last?.payload.isEmpty == true }
    try await settle(gateway)
    #expect(!wasTakenBack("shed") && configs(of: "garage").count { $0.payload.isEmpty } == 1)
    try await scene.stop()
  }

  @Test("I17.1 a sensor without a key any more is taken back; with another key, and without any need of one, it stays")
  func keys() async throws {
    let sealed = SealedSensor()
    let device = sealed.address.description.filter(\.isHexDigit)
    let file = scene.folder.appendingPathComponent("sensors.json")
    func write(_ keys: String) throws {
      try Data(keys.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
    let digits = "231d39c1d7cc1ab1aee224cd096db932"
    try write(#"{"\#(sealed.address.description)": "\#(digits)"}"#)
    let members = listen(rule(Self.all), more: #", "sensor_keys": {"file": "sensors.json"}"#)
    let gateway = try await scene.start(try scene.configuration(members), on: scene.world.makeDevice("phone"))
    hear(discovery("shed"), gateway)
    hear(discovery("garage", sealed.data("02CA09", 1, hasAddress: true)), gateway)
    let name = identifiers["garage"]?.uuidString ?? device
    try await scene.until { configs(of: "shed").count == 1 && configs(name).count == 1 }
    try write(#"{"\#(sealed.address.description)": "\#(String(digits.reversed()))"}"#)
    try await reload(gateway, members)
    try await settle(gateway)
    #expect(!configs(name).contains { $0.payload.isEmpty })
    try write("{}")
    try await reload(gateway, members)
    try await scene.until { configs(name).last?.payload.isEmpty == true }
    try await settle(gateway)
    #expect(!wasTakenBack("shed"))
    try await scene.stop()
  }

  @Test("I17.1 what a reload takes back without a broker is remembered, and taken back by the next process")
  func withoutBroker() async throws {
    let phone = scene.world.makeDevice("phone")
    let gateway = try await scene.start(try scene.configuration(listen(rule(Self.all))), on: phone)
    hearBoth(gateway)
    try await scene.until { configs(of: "shed").count == 1 && configs(of: "garage").count == 1 }
    scene.broker.stop()
    try await reload(gateway, listen(rule(Self.named("shed"))))
    // A new process knows what is in the file.
    try await scene.until {
      try AnnouncedTopics(outbox: gateway.outbox).all().filter { $0.value.device.isEmpty }.keys
        .contains { $0.contains(identifiers["garage"]?.uuidString ?? "") }
    }
    let remembered = try AnnouncedTopics(outbox: gateway.outbox).all()
    #expect(remembered.values.contains { $0.device == identifiers["shed"]?.uuidString })
    try scene.broker.start()
    try await scene.until { configs(of: "garage").last?.payload.isEmpty == true }
    #expect(!wasTakenBack("shed"))
    try await scene.stop()
  }
}
