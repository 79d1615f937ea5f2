import BLECore
import BLEReports
import BLESession
import BLEText
import CoreBluetooth
import Foundation
import Testing

@testable import BLEGateway

@Suite("Home Assistant's discovery of sensors that only advertise")
struct DiscoverySensorTests {
  private let topics = GatewayTopics(prefix: "ble", gateway: "hall")
  private var discovery: HomeAssistantDiscovery { HomeAssistantDiscovery(topics: topics, version: "1.2") }
  private let address = DeviceAddress(0x5448_E68F_80A5, kind: .public)

  private func sighting(_ measurements: String) -> Sighting {
    var discovery = Discovery(identifier: UUID(), name: "{{ 7 * 7 }}", rssi: -50)
    let octets = [0x40] + ([UInt8](hexadecimal: measurements) ?? [])
    discovery.advertisement.serviceData = [CBUUID(string: "FCD2"): Data(octets)]
    return Sighting(discovery, address: address)
  }

  private func sensor(
    _ measurements: String, _ policy: GatewayConfiguration.Listening = .init(rule: .any)
  ) throws -> HeardSensor {
    try #require(HeardSensor(sighting(measurements), as: "5448E68F80A5", policy))
  }

  private func entity(_ part: String, _ all: [HomeAssistantEntity]) throws -> [String: Any] {
    try #require(all.first { $0.identifier.hasSuffix("_-measurement_-" + part) }, "\(all.map(\.identifier))").object
  }

  @Test("I17.1 every kind of measurement becomes an entity that Home Assistant accepts, with a name of its own")
  func accepted() throws {
    var sensor = HeardSensor(device: "5448E68F80A5")
    sensor.address = address.description
    sensor.expiry = 90
    let shown = (MeasurementKind.bthome + MeasurementKind.makers).filter { HomeAssistantDiscovery.isShown($0) }
    // The same measurement in another width is the same entity.
    let kinds = Set(shown)
    #expect(Set(kinds.map(\.name)).count == kinds.count, "two kinds have one name")
    #expect(kinds.count > 65)
    sensor.measurements = kinds.map { .init(name: $0.name, kind: $0) }
    let all = discovery.entities(of: sensor)
    #expect(all.count == kinds.count && Set(all.map(\.topic)).count == all.count)
    for entity in all { #expect(DiscoveryRules.mistakes(in: entity) == [], "\(entity.topic) \(entity.payload)") }
    #expect(Set(all.compactMap { $0.object["name"] as? String }).count == all.count)
  }

  @Test("I17.1 what exists as a number and as words has two entities, and on is what Home Assistant calls so")
  func kinds() throws {
    let all = discovery.entities(of: try sensor("0161" + "1501" + "0B102700" + "1001" + "2801" + "5F0A00"))
    let (battery, low) = (try entity("battery", all), try entity("battery__low", all))
    #expect(battery["unit_of_measurement"] as? String == "%" && battery["device_class"] as? String == "battery")
    #expect(low["payload_on"] as? String == "low" && low["device_class"] as? String == "battery")
    #expect(try entity("power", all)["unit_of_measurement"] as? String == "W")
    #expect(try entity("power__on", all)["payload_on"] as? String == "on")
    let safety = try entity("safety", all)
    #expect(safety["payload_on"] as? String == "unsafe" && safety["payload_off"] as? String == "safe")
    #expect(try entity("precipitation", all)["device_class"] as? String == "precipitation")
    #expect(battery["state_topic"] as? String == "ble/hall/device/5448E68F80A5/advertisement")
    #expect(battery["expire_after"] == nil)
    let often = try sensor("0161", .init(rule: .any, interval: .seconds(30)))
    #expect(try entity("battery", discovery.entities(of: often))["expire_after"] as? Int == 90)
  }

  @Test("I17.1 a button, a text and what measures nothing have no entity, and neither has what was not understood")
  func nothing() {
    for text in ["", "3A01", "3C0103", "530141", "0001", "E0", "02C4", "F0010203"] {
      #expect(HeardSensor(sighting(text), as: "a", .init(rule: .any)) == nil, "\(text)")
    }
  }

  @Test("I17.1 measurements are in the message by their names, and the second of a kind has a number")
  func message() throws {
    let heard = sighting("0161" + "02CA09" + "02C409" + "1A01" + "3A01")
    let message = GatewayMessages(topics).advertisement(heard, smoothed: nil, of: "x").payload
    let object = try #require(try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any])
    let measurements = try #require(object["measurements"] as? [String: [String: Any]])
    #expect(Set(measurements.keys) == ["battery", "temperature", "temperature_2", "door", "button"])
    #expect(measurements["temperature"]?["value"] as? Double == 25.06)
    #expect(measurements["temperature_2"]?["value"] as? Double == 25)
    #expect(measurements["door"]?["value"] as? String == "open")
    let names = discovery.entities(of: try sensor("02CA0902C409")).compactMap { $0.object["name"] as? String }
    #expect(names == ["Temperature", "Temperature 2"])
    let none = GatewayMessages(topics).advertisement(sighting("E0"), smoothed: nil, of: "x").payload
    #expect(none.contains(#""measurements":null"#))
  }

  @Test("I17.1 strangers that say that they are sensors are not announced without limit, and that is said once")
  func crowd() throws {
    let sensors = HeardSensors()
    sensors.begin(remembering: ["5448E68F80A5", "old"])
    var outcomes: [HeardSensors.Outcome] = []
    for number in 0..<500 {
      var stranger = try sensor("0161")
      stranger.device = "stranger-\(number)"
      outcomes.append(sensors.note(stranger))
    }
    #expect(outcomes.count { $0 == .new } == HeardSensors.most - 2 && outcomes.count { $0 == .tooMany } == 1)
    #expect(sensors.all.count == HeardSensors.most - 2)
    #expect(sensors.note(try sensor("0161")) == .new, "it was announced before")
    #expect(sensors.note(try sensor("0162")) == .known)
    #expect(sensors.note(try sensor("0162" + "02CA09")) == .new)
    // One advertisement with the same measurement again and again.
    let many = try sensor(String(repeating: "0161", count: 120))
    #expect(sensors.note(many) == .new && sensors.note(many) == .known)
    #expect(sensors["5448E68F80A5"]?.measurements.count == HeardSensors.mostMeasurements)
  }

  @Test("I17.1 a rule can announce sensors only where there are announcements to Home Assistant")
  func configuration() throws {
    func read(_ more: String) throws -> GatewayConfiguration {
      let text =
        #"{"format": "ble-gateway/1", "gateway": "a", "broker": {"host": "h"}, "listen": [{"home_assistant": true}]\#(more)}"#
      return try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc/ble")
    }
    #expect(try read(#", "home_assistant": true"#).announcesSensors)
    #expect(throws: FileMistakes.self) { _ = try read("") }
  }

  @Test(
    "I17.1 Home Assistant's templates find each measurement in the message, and nothing in one without it",
    .enabled(if: DiscoveryRenderer.isInstalled, DiscoveryRenderer.isMissing))
  func templates() throws {
    let octets = "0161" + "02CA09" + "02C409" + "1501" + "2800"
    let all = discovery.entities(of: try sensor(octets))
    #expect(all.count == 5)
    let messages = ["" + octets, "E0", "1A01"].map {
      GatewayMessages(topics).advertisement(sighting($0), smoothed: -50, of: "5448E68F80A5").payload
    }
    for (message, expected) in zip(messages, [["97", "25.06", "25.0", "low", "unsafe"], [], []] as [[String]]) {
      let templates = all.map { ($0.object["value_template"] as? String ?? "", message as Any) }
      let shown = try DiscoveryRenderer.render(templates, now: Date())
      #expect(shown == (expected.isEmpty ? Array(repeating: "", count: 5) : expected))
    }
  }
}
